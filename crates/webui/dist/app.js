// node_modules/preact/dist/preact.mjs
var e, t, n, r, i, a, o, s, c, l, u, d = Symbol.for("pv"), f = {}, p = [], m = /^m(i|n|o|s|text|space)$/, h = Array.isArray, g = p.slice, _ = Object.assign;
function v(e) {
	e && e.parentNode && e.remove();
}
function y(e, t, n) {
	var r, i, a, o = {}, s = arguments.length;
	for (a in t) a == "key" ? r = t[a] : a == "ref" && typeof e != "function" ? i = t[a] : o[a] = t[a];
	return s > 2 && (o.children = s > 3 ? g.call(arguments, 2) : n), b(e, o, r, i, null);
}
function b(n, r, i, a, o) {
	var s = {
		type: n,
		props: r,
		key: i,
		ref: a,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: d,
		__v: o || ++t,
		__i: -1,
		__u: 0
	};
	return !o && e.vnode && e.vnode(s), s;
}
function x(e) {
	return e.children;
}
function S(e, t) {
	this.props = e, this.context = t, this.__g = 0;
}
function C(e, t) {
	if (t == null) return e.__ && C(e.__, e.__i + 1);
	for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
	return typeof e.type != "function" || e.props.__P ? null : C(e);
}
function w(t) {
	var n, r = t.__v, i = r.__e, a = [], o = [], s = t.__P;
	s && ((n = _({ constructor: d }, r)).__v = r.__v + 1, e.vnode && e.vnode(n), N(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || C(r), 32 & r.__u, o), n.__v = r.__v, n.__.__k[n.__i] = n, F(a, n, o), r.__ = r.__e = null, n.__e != i && T(n));
}
function T(e) {
	if ((e = e.__) && e.__c && !e.props.__P) return e.__e = null, e.__k.some(function(t) {
		return t && (e.__e = t.__e);
	}), T(e);
}
function E(t) {
	(8 & t.__g || (t.__g |= 8, r.push(t), a++)) && i == e.debounceRendering || ((i = e.debounceRendering) || queueMicrotask)(D);
}
function D() {
	try {
		for (var e, t = 1; r.length;) r.length > t && r.sort(o), e = r.shift(), t = r.length, 8 & e.__g && w(e);
	} finally {
		(a = r.length) && (i || queueMicrotask)(D);
	}
}
function ee(e, t, n, r, i, a, o, s, c, l, u) {
	var d, m, h, g, _, v, y = r.__k || p, b = t.length;
	for (c = O(n, t, y, c, b), d = 0; d < b; d++) (h = n.__k[d]) != null && (m = ~h.__i && y[h.__i] || f, h.__i = d, v = N(e, h, m, i, a, o, s, c, l, u), g = h.__e, (m.ref != h.ref || 8 & m.__u) && (m.ref && I(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)), _ ||= g, 4 & h.__u ? (c = k(h, c, e, !m.__v), m.__e && (m.__e = null)) : typeof h.type == "function" && v !== void 0 ? c = v : g && (c = g.nextSibling), h.__u &= -21);
	return n.__e = _, c;
}
function O(e, t, n, r, i) {
	var a, o, s, c, l, u, f, p, m, g = n.length, _ = g, v = 0, y = 0, S = e.__k = Array(i);
	for (a = 0; a < i; a++) (o = t[a]) != null && typeof o != "boolean" && typeof o != "function" ? (typeof o != "object" || o.constructor === String ? o = S[a] = b(null, o) : h(o) ? o = S[a] = b(x, { children: o }) : o.constructor === d && o.__b ? o = S[a] = b(o.type, o.props, o.key, o.ref, o.__v) : S[a] = o, c = a + v, o.__ = e, o.__b = e.__b + 1, s = null, ~(l = o.__i = A(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)), s && s.__v ? (o.__u |= 16, l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, y = 1)) : (~l || (i > g ? v-- : i < g && v++), typeof o.type != "function" && (o.__u |= 4))) : S[a] = null;
	if (y) {
		for (u = [], f = [], a = 0; a < i; a++) if ((o = S[a]) && 16 & o.__u) {
			for (v = 0, p = u.length; v < p;) u[m = v + p >> 1] < o.__i ? v = m + 1 : p = m;
			u[v] = o.__i, f[a] = v + 1;
		}
		for (v = u.length; a--;) f[a] && (f[a] == v ? v-- : S[a].__u |= 4);
	}
	if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = C(s)), ie(s, s));
	return r;
}
function k(e, t, n, r) {
	var i, a, o, s;
	if (typeof e.type == "function") {
		if (e.props.__P) return t;
		if (i = e.__k) for (a = 0; a < i.length; a++) i[a] && (i[a].__ = e, t = k(i[a], t, n, !1));
		return t;
	}
	for (t && !t.parentNode && (t = C(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8;) s = s.nextSibling;
	for (o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o; (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith("$s"););
	return t;
}
function A(e, t, n, r) {
	var i, a = e.key, o = e.type, s = t[n], c = s && !(2 & s.__u);
	if (s === null && a == null || c && a == s.key && o == s.type) return n;
	if (r > +!!c) {
		for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
		for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
	}
	return -1;
}
function te(e, t, n) {
	n ??= "", t[0] == "-" ? e.setProperty(t, n) : e[t] = n;
}
function j(e, t, n, r, i) {
	var a, o;
	if (t == "style") {
		if (typeof n == "string") e.style.cssText = n;
		else {
			if (typeof r == "string" && (e.style.cssText = r = ""), r) for (t in r) n && t in n || te(e.style, t);
			if (n) for (t in n) r && n[t] == r[t] || te(e.style, t, n[t]);
		}
	} else if (t[0] == "o" && t[1] == "n") typeof n != "function" && (n = null), typeof r != "function" && (r = null), (e.__e ||= {})[t] = n, n && r || (o = u[t] || (u[t] = M(t)), (e.__a ||= {})[t] = l, a = t != (t = t.replace(c, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
	else {
		if (i == "http://www.w3.org/2000/svg") t = t.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
		else if (t != "width" && t != "height" && t != "href" && t != "list" && t != "form" && t != "tabIndex" && t != "download" && t != "rowSpan" && t != "colSpan" && t != "role" && t != "popover" && t in e) try {
			e[t] = n ?? "";
			return;
		} catch {}
		if (typeof n == "function") return;
		n == null || !1 === n && t[4] != "-" ? e.removeAttribute(t) : e.setAttribute(t, t == "popover" && n == 1 ? "" : n);
	}
}
function M(t) {
	return function(n) {
		var r = this.__e;
		if (r) {
			if (r = r[t], n[s] == null) n[s] = l++;
			else if (n[s] < this.__a[t]) return;
			return r(e.event ? e.event(n) : n);
		}
	};
}
function N(t, n, r, i, a, o, s, c, l, u) {
	var f, m, g, y, b, w, T, E, D, O, k, A, te, j, M, N, F, I, L = n.type;
	if (n.constructor !== d) return null;
	128 & r.__u && (l = 32 & r.__u, f = r.__c.__z) && (n.__u |= l, m = o = [], f.nodeType == 8 ? c = P(f, o) : o.push(f), c = o[0] || c), (f = e.__b) && f(n);
	n: if (typeof L == "function") {
		g = s.length;
		try {
			if (E = n.props, D = (f = L.prototype) && f.render, O = (f = L.contextType) && i[f.__c], k = f ? O ? O.props.value : f.__ : i, (y = r.__c) ? (n.__c = y, 2 & y.__g && (y.__g |= 1)) : (D ? n.__c = y = new L(E, k) : (n.__c = y = new S(E, k), y.constructor = L, y.render = ae), O && O.sub(y), y.state || (y.state = {}), y.__n = i, y.__g |= 8, y.__h = [], y.__k = []), D && (y.__s || (y.__s = y.state), L.getDerivedStateFromProps && (y.__s == y.state && (y.__s = _({}, y.__s)), _(y.__s, L.getDerivedStateFromProps(E, y.__s)))), b = y.props, w = y.state, y.__v = n, r.__c) {
				if (E !== b && D && !L.getDerivedStateFromProps && y.componentWillReceiveProps && y.componentWillReceiveProps(E, k), n.__v == r.__v && !(8 & y.__g) || !(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(E, y.__s, k)) {
					n.__v != r.__v && (y.props = E, y.state = y.__s, y.__g &= -9), n.__e = r.__e, n.__k = r.__k, n.__k.some(function(e) {
						e && (e.__ = n);
					}), p.push.apply(y.__h, y.__k), y.__k = [], y.__h.length && s.push(y), c = C(r);
					break n;
				}
				y.componentWillUpdate && y.componentWillUpdate(E, y.__s, k), D && y.componentDidUpdate && y.__h.push(function() {
					y.componentDidUpdate(b, w, T);
				});
			} else D && !L.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(), D && y.componentDidMount && y.__h.push(y.componentDidMount);
			y.context = k, y.props = E, y.__P = t, y.__g &= -5, A = e.__r, te = D ? 25 : 0;
			do
				y.__g &= -9, A && A(n), f = y.render(y.props, y.state = y.__s, y.context);
			while (8 & y.__g && ++te < 25);
			D && (p.push.apply(y.__h, y.__k), y.__k = []), y.state = y.__s, y.getChildContext && (i = _({}, i, y.getChildContext())), D && r.__c && y.getSnapshotBeforeUpdate && (T = y.getSnapshotBeforeUpdate(b, w)), j = f && f.type === x && f.key == null ? f.props.children : f, E.__P && (f = c, a = (t = E.__P).namespaceURI, l = o = null, r.props && r.props.__P != t && (r.__k.some(function(e) {
				e && ie(e, e);
			}), r.__k = null), c = r.__k ? C(r, 0) : null), c = ee(t, h(j) ? j : [j], n, r, i, a, o, s, c, l, u), E.__P && (n.__e = null, c = f), n.__u &= -161, m && m.some(v), y.__h.length && s.push(y), 1 & y.__g && (y.__g &= -4);
		} catch (t) {
			if (s.length = g, n.__v = null, l || o) {
				if (t && t.then) {
					if (n.__u |= 128 | l, o) {
						for (~(F = o.indexOf(c || void 0)) || (F = o.length); (I = o[F - 1]) && I.nodeType == 8;) F--;
						for (; F < o.length; F++) if (I = o[F]) {
							if (o[F] = null, M) {
								if (I == N) break;
							} else {
								if (I.nodeType != 8) break;
								I.data.startsWith("$s") && (N = P(M = I));
							}
						}
					}
					if (!M) {
						for (; c && c.nodeType == 8 && c.nextSibling;) c = c.nextSibling;
						M = c;
					}
					(f = P(M = n.__c.__z || (n.__c.__z = M))) ? (n.__e = M, c = f) : n.__e = c, c &&= c.nextSibling;
				} else o && o.some(v);
			} else n.__e = r.__e;
			n.__k ||= r.__k || [], t && t.then || ne(n), e.__e(t, n, r);
		}
	} else c = n.__e = re(r.__e, n, r, i, a, o, s, l, u, t);
	return (f = e.diffed) && f(n), c;
}
function P(e, t) {
	if (e && e.nodeType == 8 && e.data.startsWith("$s")) for (var n = 1; e = e.nextSibling;) {
		if (e.nodeType == 8) {
			if (e.data.startsWith("$s")) n++;
			else if (e.data.startsWith("/$s") && !--n) return e;
		}
		t && t.push(e);
	}
}
function ne(e) {
	e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(ne));
}
function F(t, n, r) {
	for (var i = 0; i < r.length;) I(r[i++], r[i++], r[i++]);
	e.__c && e.__c(n, t), t.some(function(n) {
		try {
			t = n.__h, n.__h = [], t.some(function(e) {
				e.call(n);
			});
		} catch (t) {
			e.__e(t, n.__v);
		}
	});
}
function re(t, n, r, i, a, o, s, c, l, u) {
	var d, p, _, y, b, x, S, w, T = r.props || f, E = n.props, D = n.type;
	if (D == "svg" ? a = "http://www.w3.org/2000/svg" : D == "math" ? a = "http://www.w3.org/1998/Math/MathML" : a ||= "http://www.w3.org/1999/xhtml", o) {
		for (d = 0; d < o.length; d++) if ((b = o[d]) && (D ? b.localName == D : b.nodeType == 3)) {
			t = b, o[d] = null;
			break;
		}
	}
	if (!t) {
		if (w = u.ownerDocument || document, !D) return w.createTextNode(E);
		t = w.createElementNS(a, D, E.is ? E : u), c &&= (e.__m && e.__m(n, o), !1), o = null;
	}
	if (D) {
		if (u = D == "template" && t.content || t, o = D == "textarea" && E.defaultValue != null ? null : o && g.call(u.childNodes), !c && o) for (T = {}, d = 0; d < t.attributes.length; d++) T[(b = t.attributes[d]).name] = b.value;
		for (d in T) b = T[d], d == "dangerouslySetInnerHTML" ? _ = b : d == "children" || d in E || d == "value" && "defaultValue" in E || d == "checked" && "defaultChecked" in E || j(t, d, null, b, a);
		for (d in E) b = E[d], d == "children" ? y = b : d == "dangerouslySetInnerHTML" ? p = b : d == "value" ? x = b : d == "checked" ? S = b : c && typeof b != "function" || T[d] === b || j(t, d, b, T[d], a);
		p ? (c || _ && (p.__html == _.__html || p.__html == t.innerHTML) || (t.innerHTML = p.__html), n.__k = []) : (_ && (t.textContent = ""), (D == "foreignObject" || a == "http://www.w3.org/1998/Math/MathML" && m.test(D)) && (a = "http://www.w3.org/1999/xhtml"), ee(u, h(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && C(r, 0), c, l), o && o.some(v)), c && D != "textarea" || (d = "value", D == "progress" && x == null ? t.removeAttribute(d) : x == null || x === t[d] && (D != "progress" || x) || j(t, d, x, T[d], a), d = "checked", S != null && S != t[d] && j(t, d, S, T[d], a));
	} else T === E || c && t.data == E || (t.data = E);
	return t;
}
function I(t, n, r, i) {
	try {
		typeof t == "function" ? n ? n.__x = t(n) || 1 : (i &&= i.__c || i.__e) && (n = i.__x) && (i.__x = null, typeof n == "function" ? n() : t(null)) : t.current = n;
	} catch (t) {
		e.__e(t, r);
	}
}
function ie(t, n, r) {
	var i, a, o, s;
	if (e.unmount && e.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || I(i, null, n, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			e.__e(t, n);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (s = 0; s < i.length; s++) i[s] && ie(i[s], n, typeof t.type != "function" || r && !t.props.__P);
	!r && (i = t.__c) && (i = i.__z) && (a = P(i, o = [])) && (i == t.__e && o.some(v), v(a), v(i)), r || v(t.__e), t.__e = t.__c = t.__ = null;
}
function ae(e, t, n) {
	return this.constructor(e, n);
}
function L(t, n) {
	var r, i, a, o;
	e.__ && e.__(t, n), n.nodeType == 9 && (n = n.documentElement), i = (r = t && 32 & t.__u) ? null : n.__k, n.__k = b(x, { children: [t] }), a = [], o = [], N(n, n.__k, i || f, f, n.namespaceURI, i ? null : n.firstChild ? g.call(n.childNodes) : null, a, i ? i.__e : n.firstChild, r, o), F(a, n.__k, o), n.__k.props.children = null;
}
e = { __e: function(e, t, n, r) {
	for (var i, o, s; t = t.__;) if ((i = t.__c) && !(1 & i.__g)) {
		i.__g |= 4;
		try {
			if ((s = (o = i.constructor) && o.getDerivedStateFromError) && i.setState(o.getDerivedStateFromError(e)), i.componentDidCatch && (i.componentDidCatch(e, r || {}), s = 1), s && 8 & i.__g) return void (i.__g |= 2);
		} catch (t) {
			e = t;
		}
	}
	throw a = 0, e;
} }, t = 0, n = function(e) {
	return e != null && e.constructor === d;
}, S.prototype.setState = function(e, t) {
	var n = this.__s;
	n && n != this.state || (n = this.__s = _({}, this.state)), typeof e == "function" && (e = e(_({}, n), this.props)), e && (_(n, e), this.__v && (t && this.__k.push(t), E(this)));
}, S.prototype.forceUpdate = function(e) {
	this.__v && (this.__g |= 4, e && this.__h.push(e), E(this));
}, S.prototype.render = x, r = [], a = 0, o = function(e, t) {
	return e.__v.__b - t.__v.__b;
}, s = Symbol(), c = /(PointerCapture)$|Capture$/i, l = 0, u = {};
// node_modules/preact/hooks/dist/hooks.mjs
var oe, R, se, ce, le = Object.is, ue = 0, de = [], fe = [], z = e, pe = z.__b, me = z.__r, he = z.diffed, ge = z.__c, _e = z.unmount, ve = z.__;
function ye(e, t) {
	z.__h && z.__h(R, e, ue || t), ue = 0;
	var n = R.__H || (R.__H = {
		__: [],
		__h: []
	});
	return e >= n.__.length && n.__.push({}), n.__[e];
}
function be(e, t) {
	var n = ye(oe++, 7);
	return Ee(n.__H, t) && (n.__ = e(), n.__H = t), n.__;
}
function xe() {
	var e;
	do {
		for (; e = fe.shift();) try {
			B(e);
		} catch (t) {
			z.__e(t, { __: (e = e.__P) && e.__v });
		}
		for (; e = de.shift();) {
			var t = e.__H;
			if (e.__P && t) try {
				t.__h.some(B), t.__h.some(Te), t.__h = [];
			} catch (n) {
				t.__h = [], z.__e(n, e.__v);
			}
		}
	} while (fe.length);
}
z.__b = function(e) {
	R = null, pe && pe(e);
}, z.__ = function(e, t) {
	e && t.__k && t.__k.__m && (e.__m = t.__k.__m), ve && ve(e, t);
}, z.__r = function(e) {
	me && me(e), oe = 0;
	var t = (R = e.__c).__H;
	t && (se == R ? R.__h = [] : (t.__h.some(B), t.__h.some(Te), oe = 0), t.__h = [], t.__.some(function(e) {
		e.__N && (e.__ = e.__N), e.u = e.__N = void 0;
	})), se = R;
}, z.diffed = function(e) {
	he && he(e);
	var t = e.__c;
	t && t.__H && (t.__H.__h.length && we(de.push(t)), t.__H.__.some(function(e) {
		e.u && (e.__H = e.u);
	})), se = R = null;
}, z.__c = function(e, t) {
	t.some(function(e) {
		try {
			e.__h.some(B), e.__h = e.__h.filter(function(e) {
				return !e.__ || Te(e);
			});
		} catch (t) {
			e.__h = [function() {
				throw t;
			}];
		}
	}), ge && ge(e, t);
}, z.unmount = function(e) {
	_e && _e(e);
	var t, n, r = e.__c;
	r && r.__H && (r.__H.__.some(function(r) {
		try {
			if (r.__P && r.__c) {
				if (n === void 0) {
					for (n = e.__; n && (!n.__c || !n.__c.__P);) n = n.__;
					n &&= n.__c;
				}
				r.__P = n, we(fe.push(r));
			} else B(r);
		} catch (e) {
			t = e;
		}
	}), r.__H = void 0, t && z.__e(t, r.__v));
};
var Se = typeof requestAnimationFrame == "function";
function Ce(e) {
	var t, n = function() {
		clearTimeout(r), Se && cancelAnimationFrame(t), setTimeout(e);
	}, r = setTimeout(n, 35);
	Se && (t = requestAnimationFrame(n));
}
function we(e) {
	e != 1 && ce == z.requestAnimationFrame || ((ce = z.requestAnimationFrame) || Ce)(xe);
}
function B(e) {
	var t = R, n = e.__c;
	typeof n == "function" && (e.__c = void 0, n()), R = t;
}
function Te(e) {
	var t = R;
	e.__c = e.__(), R = t;
}
function Ee(e, t) {
	return !e || e.length != t.length || t.some(function(t, n) {
		return !le(t, e[n]);
	});
}
// node_modules/@preact/signals-core/dist/signals-core.module.js
var De = Symbol.for("preact-signals");
function Oe() {
	if (W > 1) W--;
	else {
		var e, t = !1;
		for ((function() {
			var e = Pe;
			for (Pe = void 0; e !== void 0;) {
				var t = e.S;
				if (t.v === e.v) for (var n = t.t; n !== void 0; n = n.x) n.i === e.i && (n.i = t.i);
				e = e.o;
			}
		})(); U !== void 0;) {
			var n = U;
			for (U = void 0, je++; n !== void 0;) {
				var r = n.u;
				if (n.u = void 0, n.f &= -3, !(8 & n.f) && Le(n)) try {
					n.c();
				} catch (n) {
					t ||= (e = n, !0);
				}
				n = r;
			}
		}
		if (je = 0, W--, t) throw e;
	}
}
function ke(e) {
	if (W > 0) return e();
	Ne = ++Me, W++;
	try {
		return e();
	} finally {
		Oe();
	}
}
var V, H = void 0;
function Ae(e) {
	var t = H, n = V;
	H = void 0, V = void 0;
	try {
		return e();
	} finally {
		H = t, V = n;
	}
}
var U = void 0, W = 0, je = 0, Me = 0, Ne = 0, Pe = void 0, Fe = 0;
function Ie(e) {
	if (H !== void 0) {
		var t = e.n;
		if (t === void 0 || t.t !== H) return t = {
			i: 0,
			S: e,
			p: H.s,
			n: void 0,
			t: H,
			e: void 0,
			x: void 0,
			r: t
		}, H.s !== void 0 && (H.s.n = t), H.s = t, e.n = t, 32 & H.f && e.S(t), t;
		if (t.i === -1) return t.i = 0, t.n !== void 0 && (t.n.p = t.p, t.p !== void 0 && (t.p.n = t.n), t.p = H.s, t.n = void 0, H.s.n = t, H.s = t), t;
	}
}
function G(e, t) {
	this.v = e, this.i = 0, this.n = void 0, this.t = void 0, this.l = 0, this.W = t?.watched, this.Z = t?.unwatched, this.name = t?.name;
}
G.prototype.brand = De, G.prototype.h = function() {
	return !0;
}, G.prototype.S = function(e) {
	var t = this, n = this.t;
	n !== e && e.e === void 0 && (e.x = n, this.t = e, n === void 0 ? Ae(function() {
		var e;
		(e = t.W) == null || e.call(t);
	}) : n.e = e);
}, G.prototype.U = function(e) {
	var t = this;
	if (this.t !== void 0) {
		var n = e.e, r = e.x;
		n !== void 0 && (n.x = r, e.e = void 0), r !== void 0 && (r.e = n, e.x = void 0), e === this.t && (this.t = r, r === void 0 && Ae(function() {
			var e;
			(e = t.Z) == null || e.call(t);
		}));
	}
}, G.prototype.subscribe = function(e) {
	var t = this;
	return Y(function() {
		var n = t.value;
		Ae(function() {
			return e(n);
		});
	}, { name: "sub" });
}, G.prototype.valueOf = function() {
	return this.value;
}, G.prototype.toString = function() {
	return this.value + "";
}, G.prototype.toJSON = function() {
	return this.value;
}, G.prototype.peek = function() {
	var e = this;
	return Ae(function() {
		return e.value;
	});
}, Object.defineProperty(G.prototype, "value", {
	get: function() {
		var e = Ie(this);
		return e !== void 0 && (e.i = this.i), this.v;
	},
	set: function(e) {
		if (e !== this.v) {
			if (je > 100) throw Error("Cycle detected");
			(function(e) {
				W !== 0 && je === 0 && e.l !== Ne && (e.l = Ne, Pe = {
					S: e,
					v: e.v,
					i: e.i,
					o: Pe
				});
			})(this), this.v = e, this.i++, Fe++, W++;
			try {
				for (var t = this.t; t !== void 0; t = t.x) t.t.N();
			} finally {
				Oe();
			}
		}
	}
});
function K(e, t) {
	return new G(e, t);
}
function Le(e) {
	for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
	return !1;
}
function Re(e) {
	for (var t = e.s; t !== void 0; t = t.n) {
		var n = t.S.n;
		if (n !== void 0 && (t.r = n), t.S.n = t, t.i = -1, t.n === void 0) {
			e.s = t;
			break;
		}
	}
}
function ze(e) {
	for (var t = e.s, n = void 0; t !== void 0;) {
		var r = t.p;
		t.i === -1 ? (t.S.U(t), r !== void 0 && (r.n = t.n), t.n !== void 0 && (t.n.p = r)) : n = t, t.S.n = t.r, t.r !== void 0 && (t.r = void 0), t = r;
	}
	e.s = n;
}
function q(e, t) {
	G.call(this, void 0, t), this.x = e, this.s = void 0, this.g = Fe - 1, this.f = 4;
}
q.prototype = new G(), q.prototype.h = function() {
	if (this.f &= -3, 1 & this.f) return !1;
	if ((36 & this.f) == 32 || (this.f &= -5, this.g === Fe)) return !0;
	if (this.g = Fe, this.f |= 1, this.i > 0 && !Le(this)) return this.f &= -2, !0;
	var e = H;
	try {
		Re(this), H = this;
		var t = this.x();
		(16 & this.f || this.v !== t || this.i === 0) && (this.v = t, this.f &= -17, this.i++);
	} catch (e) {
		this.v = e, this.f |= 16, this.i++;
	}
	return H = e, ze(this), this.f &= -2, !0;
}, q.prototype.S = function(e) {
	if (this.t === void 0) {
		this.f |= 36;
		for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
	}
	G.prototype.S.call(this, e);
}, q.prototype.U = function(e) {
	if (this.t !== void 0 && (G.prototype.U.call(this, e), this.t === void 0)) {
		this.f &= -33;
		for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
	}
}, q.prototype.N = function() {
	if (!(2 & this.f)) {
		this.f |= 6;
		for (var e = this.t; e !== void 0; e = e.x) e.t.N();
	}
}, Object.defineProperty(q.prototype, "value", { get: function() {
	if (1 & this.f) throw Error("Cycle detected");
	var e = Ie(this);
	if (this.h(), e !== void 0 && (e.i = this.i), 16 & this.f) throw this.v;
	return this.v;
} });
function Be(e, t) {
	return new q(e, t);
}
function Ve(e) {
	var t = e.j;
	if (e.j = void 0, typeof t == "function") {
		W++;
		var n = H;
		H = void 0;
		try {
			t();
		} catch (t) {
			throw e.f &= -2, e.f |= 8, He(e), t;
		} finally {
			H = n, Oe();
		}
	}
}
function He(e) {
	for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
	e.x = void 0, e.s = void 0, Ve(e);
}
function Ue(e) {
	if (H !== this) throw Error("Out-of-order effect");
	ze(this), H = e, this.f &= -2;
	try {
		8 & this.f && He(this);
	} finally {
		Oe();
	}
}
function J(e, t) {
	this.x = e, this.j = void 0, this.s = void 0, this.u = void 0, this.f = 32, this.name = t?.name, V && V.push(this);
}
J.prototype.c = function() {
	var e = this.S();
	try {
		if (8 & this.f || this.x === void 0) return;
		var t = this.x();
		typeof t == "function" && (this.j = t);
	} finally {
		e();
	}
}, J.prototype.S = function() {
	if (1 & this.f) throw Error("Cycle detected");
	this.f |= 1, this.f &= -9, Ve(this), Re(this), W++;
	var e = H;
	return H = this, Ue.bind(this, e);
}, J.prototype.N = function() {
	2 & this.f || (this.f |= 2, this.u = U, U = this);
}, J.prototype.d = function() {
	this.f |= 8, 1 & this.f || He(this);
}, J.prototype.dispose = function() {
	this.d();
};
function Y(e, t) {
	var n = new J(e, t);
	try {
		n.c();
	} catch (e) {
		throw n.d(), e;
	}
	var r = n.d.bind(n);
	return r[Symbol.dispose] = r, r;
}
// node_modules/@preact/signals/dist/signals.module.js
var We, Ge, Ke = typeof window < "u" && !!window.__PREACT_SIGNALS_DEVTOOLS__, qe = [];
Y(function() {
	We = this.N;
})();
function X(t, n) {
	e[t] = n.bind(null, e[t] || function() {});
}
function Z(e) {
	if (Ge) {
		var t = Ge;
		Ge = void 0, t();
	}
	Ge = e && e.S();
}
function Je(e) {
	var t = this, r = e.data, i = Xe(r);
	i.name = "ReactiveDom", i.value = r;
	var a = be(function() {
		for (var e = t, r = t.__v; r = r.__;) if (r.__c) {
			r.__c.__$f |= 4;
			break;
		}
		var a = Be(function() {
			var e = i.value.value;
			return e === 0 ? 0 : !0 === e ? "" : e || "";
		}), o = Be(function() {
			return !Array.isArray(a.value) && !n(a.value);
		}), s = Y(function() {
			if (this.N = $e, o.value) {
				var t = a.value;
				e.__v && e.__v.__e && e.__v.__e.nodeType === 3 && (e.__v.__e.data = t);
			}
		}), c = t.__$u.d;
		return t.__$u.d = function() {
			s(), c.call(this);
		}, [o, a];
	}, []), o = a[0], s = a[1];
	return o.value ? s.peek() : s.value;
}
Je.displayName = "ReactiveTextNode", Object.defineProperties(G.prototype, {
	constructor: {
		configurable: !0,
		value: y(x, null).constructor
	},
	type: {
		configurable: !0,
		value: Je
	},
	props: {
		configurable: !0,
		get: function() {
			var e = this;
			return { data: { get value() {
				return e.value;
			} } };
		}
	},
	__b: {
		configurable: !0,
		value: 1
	}
}), X("__b", function(e, t) {
	if (Z(), typeof t.type == "string") {
		var n, r = t.props;
		for (var i in r) if (i !== "children") {
			var a = r[i];
			a instanceof G && (n || (t.__np = n = {}), n[i] = a, r[i] = a.peek());
		}
	}
	e(t);
}), X("__r", function(e, t) {
	if (e(t), t.type !== x) {
		Z();
		var n, r = t.__c;
		r && (r.__$f &= -2, (n = r.__$u) === void 0 && (r.__$u = n = function(e, t) {
			var n;
			return Y(function() {
				n = this;
			}, { name: t }), n.c = e, n;
		}(function(e) {
			return function() {
				var t;
				Ke && ((t = this.y) == null || t.call(this)), e.__$f |= 1, e.setState({});
			};
		}(r), typeof t.type == "function" ? t.type.displayName || t.type.name : ""))), Z(n);
	}
}), X("__e", function(e, t, n, r) {
	Z(), e(t, n, r);
}), X("diffed", function(e, t) {
	Z();
	var n;
	if (typeof t.type == "string" && (n = t.__e)) {
		var r = t.__np, i = t.props, a = n.U;
		if (a) for (var o in a) {
			var s = a[o];
			s === void 0 || r && o in r || (s.d(), a[o] = void 0);
		}
		if (r) for (var c in a || (a = {}, n.U = a), r) {
			var l = a[c], u = r[c];
			l === void 0 ? (l = Ye(n, c, u, i), a[c] = l) : l.o(u, i);
		}
	}
	e(t);
});
function Ye(e, t, n, r) {
	var i = t in e && e.ownerSVGElement === void 0, a = K(n);
	return {
		o: function(e, t) {
			a.value = e, r = t;
		},
		d: Y(function() {
			this.N = $e;
			var n = a.value.value;
			r[t] !== n && (r[t] = n, i ? e[t] = n : n != null && (!1 !== n || t[4] === "-") ? e.setAttribute(t, n) : e.removeAttribute(t));
		})
	};
}
X("unmount", function(e, t) {
	if (typeof t.type == "string") {
		var n = t.__e;
		if (n) {
			var r = n.U;
			if (r) for (var i in n.U = void 0, r) {
				var a = r[i];
				a && a.d();
			}
		}
		var o = t.__np;
		if (o) {
			var s = t.props;
			for (var c in o) s[c] = o[c];
		}
		t.__np = void 0;
	} else {
		var l = t.__c;
		if (l) {
			l.__$f |= 8;
			var u = l.__$u;
			u && (l.__$u = void 0, u.d());
		}
	}
	e(t);
}), X("__h", function(e, t, n, r) {
	r < 3 && (t.__$f |= 2), e(t, n, r);
}), S.prototype.shouldComponentUpdate = function(e, t) {
	if (this.__R) return !0;
	var n = this.__$u, r = n && n.s !== void 0;
	for (var i in t) return !0;
	if (this.__f || typeof this.u == "boolean" && !0 === this.u) {
		var a = 2 & this.__$f;
		if (!(r || a || 4 & this.__$f) || 1 & this.__$f) return !0;
	} else if (!(r || 4 & this.__$f) || 3 & this.__$f) return !0;
	for (var o in e) if (o !== "__source" && e[o] !== this.props[o]) return !0;
	for (var s in this.props) if (!(s in e)) return !0;
	return !1;
};
function Xe(e, t) {
	return be(function() {
		return K(e, t);
	}, []);
}
var Ze = function(e) {
	queueMicrotask(function() {
		queueMicrotask(e);
	});
};
function Qe() {
	ke(function() {
		for (var e; e = qe.shift();) We.call(e);
	});
}
function $e() {
	qe.push(this) === 1 && (e.requestAnimationFrame || Ze)(Qe);
}
// src/state/index.ts
var Q = K("overview"), et = K(/* @__PURE__ */ new Set()), tt = K(null), nt = K(null), rt = K({}), it = /* @__PURE__ */ new Set([
	"view",
	"select",
	"time",
	"rank"
]);
function at() {
	let e = new URLSearchParams();
	e.set("view", Q.value);
	for (let t of et.value) e.append("select", t);
	tt.value && e.set("time", tt.value.map(Math.round).join("-")), nt.value !== null && e.set("rank", String(nt.value));
	for (let [t, n] of Object.entries(rt.value)) e.set(t, n);
	return e.toString();
}
function ot(e) {
	let t = new URLSearchParams(e.replace(/^#/, ""));
	Q.value = t.get("view") ?? "overview", et.value = new Set(t.getAll("select"));
	let n = /^(-?\d+)-(-?\d+)$/.exec(t.get("time") ?? "");
	tt.value = n && Number(n[1]) < Number(n[2]) ? [Number(n[1]), Number(n[2])] : null;
	let r = Number.parseInt(t.get("rank") ?? "", 10);
	nt.value = Number.isNaN(r) ? null : r, rt.value = Object.fromEntries([...t].filter(([e]) => !it.has(e)));
}
function st() {
	ot(location.hash), addEventListener("hashchange", () => {
		location.hash.slice(1) !== at() && ot(location.hash);
	});
	let e = Q.value;
	Y(() => {
		let t = `#${at()}`;
		t !== location.hash && (Q.value === e ? history.replaceState(null, "", t) : history.pushState(null, "", t), e = Q.value);
	});
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var ct = Symbol.for("pv"), lt = 0;
Array.isArray;
function $(t, n, r, i, a, o) {
	n ||= {};
	var s, c, l = n;
	if ("ref" in l && typeof t != "function") for (c in l = {}, n) c == "ref" ? s = n[c] : l[c] = n[c];
	var u = {
		type: t,
		props: l,
		key: r,
		ref: s,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: ct,
		__v: --lt,
		__i: -1,
		__u: 0
	};
	return (a || o) && (u.__source = a, u.__self = o), e.vnode && e.vnode(u), u;
}
// src/views/overview.tsx
function ut({ document: e }) {
	return /* @__PURE__ */ $("p", { children: [e.inputs.length, " inputs"] });
}
// src/views/index.ts
var dt = [{
	id: "overview",
	title: "Overview",
	Component: ut
}];
// src/app.tsx
function ft(e) {
	let t = dt.find((e) => e.id === Q.value) ?? dt[0];
	if (!t) return null;
	let n = t.missing?.(e);
	return /* @__PURE__ */ $(x, { children: [/* @__PURE__ */ $("nav", {
		"aria-label": "Views",
		children: dt.map((e) => /* @__PURE__ */ $("button", {
			"aria-current": e.id === t.id ? "page" : void 0,
			onClick: () => Q.value = e.id,
			children: e.title
		}, e.id))
	}), /* @__PURE__ */ $("main", { children: n ? /* @__PURE__ */ $("p", {
		role: "note",
		children: n
	}) : /* @__PURE__ */ $(t.Component, { ...e }) })] });
}
// src/source/http.ts
function pt() {
	return new URLSearchParams(location.search).get("run") ?? "latest";
}
function mt() {
	let e = new URLSearchParams(location.search).get("token");
	return e ? { authorization: `Bearer ${e}` } : {};
}
async function ht(e, t = {}) {
	let n = await fetch(e, {
		...t,
		headers: {
			...mt(),
			...t.headers
		}
	});
	if (n.ok) return n;
	let r = await n.text(), i = `${n.status} ${n.statusText}`;
	try {
		let e = JSON.parse(r);
		i = [e.error, e.hint].filter(Boolean).join("; ") || i;
	} catch {
		i = r || i;
	}
	throw Error(i);
}
function gt() {
	return {
		live: !0,
		async document() {
			return await (await ht(`/api/v1/runs/${pt()}/document`)).json();
		},
		async part(e, t = {}) {
			let n = new URLSearchParams(t).toString();
			return (await ht(`/api/v1/runs/${pt()}/${e}${n ? `?${n}` : ""}`)).arrayBuffer();
		},
		async ask(e, t, n = t === void 0 ? "GET" : "POST") {
			let r = { method: n };
			return t !== void 0 && (r.body = JSON.stringify(t), r.headers = { "content-type": "application/json" }), await (await ht(`/api/v1/${e}`, r)).json();
		},
		listen(e, t) {
			let n = new URLSearchParams(location.search).get("token"), r = new EventSource(`/api/v1/${e}${n ? `?token=${encodeURIComponent(n)}` : ""}`);
			return r.onmessage = (e) => t(JSON.parse(e.data)), () => r.close();
		}
	};
}
// src/source/inline.ts
function _t(e) {
	return document.querySelector(`script#eaves-${e}`);
}
async function vt(e) {
	let t = Uint8Array.from(atob(e.trim()), (e) => e.charCodeAt(0)), n = new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(n).arrayBuffer();
}
async function yt(e) {
	let t = _t(e);
	return t?.textContent ? t.dataset.packed === "gzip" ? vt(t.textContent) : new TextEncoder().encode(t.textContent).buffer : null;
}
var bt = "this page is a file; `eaves open FILE` starts a server that can do this";
function xt() {
	return _t("document") ? {
		live: !1,
		async document() {
			let e = await yt("document");
			return JSON.parse(new TextDecoder().decode(e ?? /* @__PURE__ */ new ArrayBuffer(0)));
		},
		part: (e) => yt(e),
		ask: () => Promise.reject(/* @__PURE__ */ Error(bt)),
		listen: () => () => {}
	} : null;
}
// src/source/index.ts
function St() {
	return xt() ?? gt();
}
// src/main.tsx
async function Ct() {
	let e = document.getElementById("app");
	if (e) {
		st();
		try {
			let t = St();
			L(/* @__PURE__ */ $(ft, {
				source: t,
				document: await t.document()
			}), e);
		} catch (t) {
			e.textContent = `Cannot show this: ${t instanceof Error ? t.message : String(t)}`;
		}
	}
}
Ct();

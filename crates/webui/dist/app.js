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
	s && ((n = _({ constructor: d }, r)).__v = r.__v + 1, e.vnode && e.vnode(n), ae(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || C(r), 32 & r.__u, o), n.__v = r.__v, n.__.__k[n.__i] = n, A(a, n, o), r.__ = r.__e = null, n.__e != i && T(n));
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
function O(e, t, n, r, i, a, o, s, c, l, u) {
	var d, m, h, g, _, v, y = r.__k || p, b = t.length;
	for (c = ee(n, t, y, c, b), d = 0; d < b; d++) (h = n.__k[d]) != null && (m = ~h.__i && y[h.__i] || f, h.__i = d, v = ae(e, h, m, i, a, o, s, c, l, u), g = h.__e, (m.ref != h.ref || 8 & m.__u) && (m.ref && M(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)), _ ||= g, 4 & h.__u ? (c = te(h, c, e, !m.__v), m.__e && (m.__e = null)) : typeof h.type == "function" && v !== void 0 ? c = v : g && (c = g.nextSibling), h.__u &= -21);
	return n.__e = _, c;
}
function ee(e, t, n, r, i) {
	var a, o, s, c, l, u, f, p, m, g = n.length, _ = g, v = 0, y = 0, S = e.__k = Array(i);
	for (a = 0; a < i; a++) (o = t[a]) != null && typeof o != "boolean" && typeof o != "function" ? (typeof o != "object" || o.constructor === String ? o = S[a] = b(null, o) : h(o) ? o = S[a] = b(x, { children: o }) : o.constructor === d && o.__b ? o = S[a] = b(o.type, o.props, o.key, o.ref, o.__v) : S[a] = o, c = a + v, o.__ = e, o.__b = e.__b + 1, s = null, ~(l = o.__i = k(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)), s && s.__v ? (o.__u |= 16, l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, y = 1)) : (~l || (i > g ? v-- : i < g && v++), typeof o.type != "function" && (o.__u |= 4))) : S[a] = null;
	if (y) {
		for (u = [], f = [], a = 0; a < i; a++) if ((o = S[a]) && 16 & o.__u) {
			for (v = 0, p = u.length; v < p;) u[m = v + p >> 1] < o.__i ? v = m + 1 : p = m;
			u[v] = o.__i, f[a] = v + 1;
		}
		for (v = u.length; a--;) f[a] && (f[a] == v ? v-- : S[a].__u |= 4);
	}
	if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = C(s)), ce(s, s));
	return r;
}
function te(e, t, n, r) {
	var i, a, o, s;
	if (typeof e.type == "function") {
		if (e.props.__P) return t;
		if (i = e.__k) for (a = 0; a < i.length; a++) i[a] && (i[a].__ = e, t = te(i[a], t, n, !1));
		return t;
	}
	for (t && !t.parentNode && (t = C(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8;) s = s.nextSibling;
	for (o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o; (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith("$s"););
	return t;
}
function k(e, t, n, r) {
	var i, a = e.key, o = e.type, s = t[n], c = s && !(2 & s.__u);
	if (s === null && a == null || c && a == s.key && o == s.type) return n;
	if (r > +!!c) {
		for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
		for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
	}
	return -1;
}
function ne(e, t, n) {
	n ??= "", t[0] == "-" ? e.setProperty(t, n) : e[t] = n;
}
function re(e, t, n, r, i) {
	var a, o;
	if (t == "style") {
		if (typeof n == "string") e.style.cssText = n;
		else {
			if (typeof r == "string" && (e.style.cssText = r = ""), r) for (t in r) n && t in n || ne(e.style, t);
			if (n) for (t in n) r && n[t] == r[t] || ne(e.style, t, n[t]);
		}
	} else if (t[0] == "o" && t[1] == "n") typeof n != "function" && (n = null), typeof r != "function" && (r = null), (e.__e ||= {})[t] = n, n && r || (o = u[t] || (u[t] = ie(t)), (e.__a ||= {})[t] = l, a = t != (t = t.replace(c, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
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
function ie(t) {
	return function(n) {
		var r = this.__e;
		if (r) {
			if (r = r[t], n[s] == null) n[s] = l++;
			else if (n[s] < this.__a[t]) return;
			return r(e.event ? e.event(n) : n);
		}
	};
}
function ae(t, n, r, i, a, o, s, c, l, u) {
	var f, m, g, y, b, w, T, E, D, ee, te, k, ne, re, ie, ae, A, M, N = n.type;
	if (n.constructor !== d) return null;
	128 & r.__u && (l = 32 & r.__u, f = r.__c.__z) && (n.__u |= l, m = o = [], f.nodeType == 8 ? c = oe(f, o) : o.push(f), c = o[0] || c), (f = e.__b) && f(n);
	n: if (typeof N == "function") {
		g = s.length;
		try {
			if (E = n.props, D = (f = N.prototype) && f.render, ee = (f = N.contextType) && i[f.__c], te = f ? ee ? ee.props.value : f.__ : i, (y = r.__c) ? (n.__c = y, 2 & y.__g && (y.__g |= 1)) : (D ? n.__c = y = new N(E, te) : (n.__c = y = new S(E, te), y.constructor = N, y.render = le), ee && ee.sub(y), y.state || (y.state = {}), y.__n = i, y.__g |= 8, y.__h = [], y.__k = []), D && (y.__s || (y.__s = y.state), N.getDerivedStateFromProps && (y.__s == y.state && (y.__s = _({}, y.__s)), _(y.__s, N.getDerivedStateFromProps(E, y.__s)))), b = y.props, w = y.state, y.__v = n, r.__c) {
				if (E !== b && D && !N.getDerivedStateFromProps && y.componentWillReceiveProps && y.componentWillReceiveProps(E, te), n.__v == r.__v && !(8 & y.__g) || !(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(E, y.__s, te)) {
					n.__v != r.__v && (y.props = E, y.state = y.__s, y.__g &= -9), n.__e = r.__e, n.__k = r.__k, n.__k.some(function(e) {
						e && (e.__ = n);
					}), p.push.apply(y.__h, y.__k), y.__k = [], y.__h.length && s.push(y), c = C(r);
					break n;
				}
				y.componentWillUpdate && y.componentWillUpdate(E, y.__s, te), D && y.componentDidUpdate && y.__h.push(function() {
					y.componentDidUpdate(b, w, T);
				});
			} else D && !N.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(), D && y.componentDidMount && y.__h.push(y.componentDidMount);
			y.context = te, y.props = E, y.__P = t, y.__g &= -5, k = e.__r, ne = D ? 25 : 0;
			do
				y.__g &= -9, k && k(n), f = y.render(y.props, y.state = y.__s, y.context);
			while (8 & y.__g && ++ne < 25);
			D && (p.push.apply(y.__h, y.__k), y.__k = []), y.state = y.__s, y.getChildContext && (i = _({}, i, y.getChildContext())), D && r.__c && y.getSnapshotBeforeUpdate && (T = y.getSnapshotBeforeUpdate(b, w)), re = f && f.type === x && f.key == null ? f.props.children : f, E.__P && (f = c, a = (t = E.__P).namespaceURI, l = o = null, r.props && r.props.__P != t && (r.__k.some(function(e) {
				e && ce(e, e);
			}), r.__k = null), c = r.__k ? C(r, 0) : null), c = O(t, h(re) ? re : [re], n, r, i, a, o, s, c, l, u), E.__P && (n.__e = null, c = f), n.__u &= -161, m && m.some(v), y.__h.length && s.push(y), 1 & y.__g && (y.__g &= -4);
		} catch (t) {
			if (s.length = g, n.__v = null, l || o) {
				if (t && t.then) {
					if (n.__u |= 128 | l, o) {
						for (~(A = o.indexOf(c || void 0)) || (A = o.length); (M = o[A - 1]) && M.nodeType == 8;) A--;
						for (; A < o.length; A++) if (M = o[A]) {
							if (o[A] = null, ie) {
								if (M == ae) break;
							} else {
								if (M.nodeType != 8) break;
								M.data.startsWith("$s") && (ae = oe(ie = M));
							}
						}
					}
					if (!ie) {
						for (; c && c.nodeType == 8 && c.nextSibling;) c = c.nextSibling;
						ie = c;
					}
					(f = oe(ie = n.__c.__z || (n.__c.__z = ie))) ? (n.__e = ie, c = f) : n.__e = c, c &&= c.nextSibling;
				} else o && o.some(v);
			} else n.__e = r.__e;
			n.__k ||= r.__k || [], t && t.then || se(n), e.__e(t, n, r);
		}
	} else c = n.__e = j(r.__e, n, r, i, a, o, s, l, u, t);
	return (f = e.diffed) && f(n), c;
}
function oe(e, t) {
	if (e && e.nodeType == 8 && e.data.startsWith("$s")) for (var n = 1; e = e.nextSibling;) {
		if (e.nodeType == 8) {
			if (e.data.startsWith("$s")) n++;
			else if (e.data.startsWith("/$s") && !--n) return e;
		}
		t && t.push(e);
	}
}
function se(e) {
	e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(se));
}
function A(t, n, r) {
	for (var i = 0; i < r.length;) M(r[i++], r[i++], r[i++]);
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
function j(t, n, r, i, a, o, s, c, l, u) {
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
		for (d in T) b = T[d], d == "dangerouslySetInnerHTML" ? _ = b : d == "children" || d in E || d == "value" && "defaultValue" in E || d == "checked" && "defaultChecked" in E || re(t, d, null, b, a);
		for (d in E) b = E[d], d == "children" ? y = b : d == "dangerouslySetInnerHTML" ? p = b : d == "value" ? x = b : d == "checked" ? S = b : c && typeof b != "function" || T[d] === b || re(t, d, b, T[d], a);
		p ? (c || _ && (p.__html == _.__html || p.__html == t.innerHTML) || (t.innerHTML = p.__html), n.__k = []) : (_ && (t.textContent = ""), (D == "foreignObject" || a == "http://www.w3.org/1998/Math/MathML" && m.test(D)) && (a = "http://www.w3.org/1999/xhtml"), O(u, h(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && C(r, 0), c, l), o && o.some(v)), c && D != "textarea" || (d = "value", D == "progress" && x == null ? t.removeAttribute(d) : x == null || x === t[d] && (D != "progress" || x) || re(t, d, x, T[d], a), d = "checked", S != null && S != t[d] && re(t, d, S, T[d], a));
	} else T === E || c && t.data == E || (t.data = E);
	return t;
}
function M(t, n, r, i) {
	try {
		typeof t == "function" ? n ? n.__x = t(n) || 1 : (i &&= i.__c || i.__e) && (n = i.__x) && (i.__x = null, typeof n == "function" ? n() : t(null)) : t.current = n;
	} catch (t) {
		e.__e(t, r);
	}
}
function ce(t, n, r) {
	var i, a, o, s;
	if (e.unmount && e.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || M(i, null, n, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			e.__e(t, n);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (s = 0; s < i.length; s++) i[s] && ce(i[s], n, typeof t.type != "function" || r && !t.props.__P);
	!r && (i = t.__c) && (i = i.__z) && (a = oe(i, o = [])) && (i == t.__e && o.some(v), v(a), v(i)), r || v(t.__e), t.__e = t.__c = t.__ = null;
}
function le(e, t, n) {
	return this.constructor(e, n);
}
function N(t, n) {
	var r, i, a, o;
	e.__ && e.__(t, n), n.nodeType == 9 && (n = n.documentElement), i = (r = t && 32 & t.__u) ? null : n.__k, n.__k = b(x, { children: [t] }), a = [], o = [], ae(n, n.__k, i || f, f, n.namespaceURI, i ? null : n.firstChild ? g.call(n.childNodes) : null, a, i ? i.__e : n.firstChild, r, o), A(a, n.__k, o), n.__k.props.children = null;
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
var ue, P, de, fe, pe = Object.is, me = 0, he = [], ge = [], _e = e, ve = _e.__b, ye = _e.__r, be = _e.diffed, xe = _e.__c, Se = _e.unmount, Ce = _e.__;
function we(e, t) {
	_e.__h && _e.__h(P, e, me || t), me = 0;
	var n = P.__H || (P.__H = {
		__: [],
		__h: []
	});
	return e >= n.__.length && n.__.push({}), n.__[e];
}
function F(e) {
	return me = 1, I(Pe, e);
}
function I(e, t, n) {
	var r = we(ue++, 2);
	if (r.t = e, !r.__c && (r.__ = [n ? n(t) : Pe(void 0, t), function(e) {
		var t = (r.__N || r.__)[0], n = r.t(t, e);
		pe(t, n) || (r.__N = [n, r.__[1]], r.__c.setState({}));
	}], r.__c = P, !P.__f)) {
		P.__f = !0;
		var i = P.shouldComponentUpdate;
		P.shouldComponentUpdate = function(e, t, n) {
			var r = this.__H;
			if (!r) return !0;
			var a = !1, o = this.props != e;
			if (r.__.some(function(e) {
				e.__N && (a = !0, pe(e.__[0], e.__N[0]) || (o = !0));
			}), i) {
				var s = i.call(this, e, t, n);
				return a ? s || o : s;
			}
			return !a || o;
		};
	}
	return r.__;
}
function L(e, t) {
	var n = we(ue++, 3);
	!_e.__s && Ne(n.__H, t) && (n.__P = !0, n.__ = e, n.u = t, P.__H.__h.push(n));
}
function Te(e, t) {
	var n = we(ue++, 4);
	!_e.__s && Ne(n.__H, t) && (n.__P = !1, n.__ = e, n.u = t, P.__h.push(n));
}
function R(e) {
	return me = 5, z(function() {
		return { current: e };
	}, []);
}
function z(e, t) {
	var n = we(ue++, 7);
	return Ne(n.__H, t) && (n.__ = e(), n.__H = t), n.__;
}
function Ee() {
	var e = we(ue++, 11);
	if (!e.__) {
		for (var t = P.__v; !t.__m && t.__;) t = t.__;
		var n = t.__m || (t.__m = [0, 0]);
		e.__ = "P" + n[0] + "-" + n[1]++;
	}
	return e.__;
}
function De() {
	var e;
	do {
		for (; e = ge.shift();) try {
			je(e);
		} catch (t) {
			_e.__e(t, { __: (e = e.__P) && e.__v });
		}
		for (; e = he.shift();) {
			var t = e.__H;
			if (e.__P && t) try {
				t.__h.some(je), t.__h.some(Me), t.__h = [];
			} catch (n) {
				t.__h = [], _e.__e(n, e.__v);
			}
		}
	} while (ge.length);
}
_e.__b = function(e) {
	P = null, ve && ve(e);
}, _e.__ = function(e, t) {
	e && t.__k && t.__k.__m && (e.__m = t.__k.__m), Ce && Ce(e, t);
}, _e.__r = function(e) {
	ye && ye(e), ue = 0;
	var t = (P = e.__c).__H;
	t && (de == P ? P.__h = [] : (t.__h.some(je), t.__h.some(Me), ue = 0), t.__h = [], t.__.some(function(e) {
		e.__N && (e.__ = e.__N), e.u = e.__N = void 0;
	})), de = P;
}, _e.diffed = function(e) {
	be && be(e);
	var t = e.__c;
	t && t.__H && (t.__H.__h.length && Ae(he.push(t)), t.__H.__.some(function(e) {
		e.u && (e.__H = e.u);
	})), de = P = null;
}, _e.__c = function(e, t) {
	t.some(function(e) {
		try {
			e.__h.some(je), e.__h = e.__h.filter(function(e) {
				return !e.__ || Me(e);
			});
		} catch (t) {
			e.__h = [function() {
				throw t;
			}];
		}
	}), xe && xe(e, t);
}, _e.unmount = function(e) {
	Se && Se(e);
	var t, n, r = e.__c;
	r && r.__H && (r.__H.__.some(function(r) {
		try {
			if (r.__P && r.__c) {
				if (n === void 0) {
					for (n = e.__; n && (!n.__c || !n.__c.__P);) n = n.__;
					n &&= n.__c;
				}
				r.__P = n, Ae(ge.push(r));
			} else je(r);
		} catch (e) {
			t = e;
		}
	}), r.__H = void 0, t && _e.__e(t, r.__v));
};
var Oe = typeof requestAnimationFrame == "function";
function ke(e) {
	var t, n = function() {
		clearTimeout(r), Oe && cancelAnimationFrame(t), setTimeout(e);
	}, r = setTimeout(n, 35);
	Oe && (t = requestAnimationFrame(n));
}
function Ae(e) {
	e != 1 && fe == _e.requestAnimationFrame || ((fe = _e.requestAnimationFrame) || ke)(De);
}
function je(e) {
	var t = P, n = e.__c;
	typeof n == "function" && (e.__c = void 0, n()), P = t;
}
function Me(e) {
	var t = P;
	e.__c = e.__(), P = t;
}
function Ne(e, t) {
	return !e || e.length != t.length || t.some(function(t, n) {
		return !pe(t, e[n]);
	});
}
function Pe(e, t) {
	return typeof t == "function" ? t(e) : t;
}
// node_modules/@preact/signals-core/dist/signals-core.module.js
var Fe = Symbol.for("preact-signals");
function Ie() {
	if (He > 1) He--;
	else {
		var e, t = !1;
		for ((function() {
			var e = Ke;
			for (Ke = void 0; e !== void 0;) {
				var t = e.S;
				if (t.v === e.v) for (var n = t.t; n !== void 0; n = n.x) n.i === e.i && (n.i = t.i);
				e = e.o;
			}
		})(); Ve !== void 0;) {
			var n = Ve;
			for (Ve = void 0, Ue++; n !== void 0;) {
				var r = n.u;
				if (n.u = void 0, n.f &= -3, !(8 & n.f) && Xe(n)) try {
					n.c();
				} catch (n) {
					t ||= (e = n, !0);
				}
				n = r;
			}
		}
		if (Ue = 0, He--, t) throw e;
	}
}
function Le(e) {
	if (He > 0) return e();
	Ge = ++We, He++;
	try {
		return e();
	} finally {
		Ie();
	}
}
var Re, ze = void 0;
function Be(e) {
	var t = ze, n = Re;
	ze = void 0, Re = void 0;
	try {
		return e();
	} finally {
		ze = t, Re = n;
	}
}
var Ve = void 0, He = 0, Ue = 0, We = 0, Ge = 0, Ke = void 0, qe = 0;
function Je(e) {
	if (ze !== void 0) {
		var t = e.n;
		if (t === void 0 || t.t !== ze) return t = {
			i: 0,
			S: e,
			p: ze.s,
			n: void 0,
			t: ze,
			e: void 0,
			x: void 0,
			r: t
		}, ze.s !== void 0 && (ze.s.n = t), ze.s = t, e.n = t, 32 & ze.f && e.S(t), t;
		if (t.i === -1) return t.i = 0, t.n !== void 0 && (t.n.p = t.p, t.p !== void 0 && (t.p.n = t.n), t.p = ze.s, t.n = void 0, ze.s.n = t, ze.s = t), t;
	}
}
function Ye(e, t) {
	this.v = e, this.i = 0, this.n = void 0, this.t = void 0, this.l = 0, this.W = t?.watched, this.Z = t?.unwatched, this.name = t?.name;
}
Ye.prototype.brand = Fe, Ye.prototype.h = function() {
	return !0;
}, Ye.prototype.S = function(e) {
	var t = this, n = this.t;
	n !== e && e.e === void 0 && (e.x = n, this.t = e, n === void 0 ? Be(function() {
		var e;
		(e = t.W) == null || e.call(t);
	}) : n.e = e);
}, Ye.prototype.U = function(e) {
	var t = this;
	if (this.t !== void 0) {
		var n = e.e, r = e.x;
		n !== void 0 && (n.x = r, e.e = void 0), r !== void 0 && (r.e = n, e.x = void 0), e === this.t && (this.t = r, r === void 0 && Be(function() {
			var e;
			(e = t.Z) == null || e.call(t);
		}));
	}
}, Ye.prototype.subscribe = function(e) {
	var t = this;
	return at(function() {
		var n = t.value;
		Be(function() {
			return e(n);
		});
	}, { name: "sub" });
}, Ye.prototype.valueOf = function() {
	return this.value;
}, Ye.prototype.toString = function() {
	return this.value + "";
}, Ye.prototype.toJSON = function() {
	return this.value;
}, Ye.prototype.peek = function() {
	var e = this;
	return Be(function() {
		return e.value;
	});
}, Object.defineProperty(Ye.prototype, "value", {
	get: function() {
		var e = Je(this);
		return e !== void 0 && (e.i = this.i), this.v;
	},
	set: function(e) {
		if (e !== this.v) {
			if (Ue > 100) throw Error("Cycle detected");
			(function(e) {
				He !== 0 && Ue === 0 && e.l !== Ge && (e.l = Ge, Ke = {
					S: e,
					v: e.v,
					i: e.i,
					o: Ke
				});
			})(this), this.v = e, this.i++, qe++, He++;
			try {
				for (var t = this.t; t !== void 0; t = t.x) t.t.N();
			} finally {
				Ie();
			}
		}
	}
});
function B(e, t) {
	return new Ye(e, t);
}
function Xe(e) {
	for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
	return !1;
}
function Ze(e) {
	for (var t = e.s; t !== void 0; t = t.n) {
		var n = t.S.n;
		if (n !== void 0 && (t.r = n), t.S.n = t, t.i = -1, t.n === void 0) {
			e.s = t;
			break;
		}
	}
}
function Qe(e) {
	for (var t = e.s, n = void 0; t !== void 0;) {
		var r = t.p;
		t.i === -1 ? (t.S.U(t), r !== void 0 && (r.n = t.n), t.n !== void 0 && (t.n.p = r)) : n = t, t.S.n = t.r, t.r !== void 0 && (t.r = void 0), t = r;
	}
	e.s = n;
}
function $e(e, t) {
	Ye.call(this, void 0, t), this.x = e, this.s = void 0, this.g = qe - 1, this.f = 4;
}
$e.prototype = new Ye(), $e.prototype.h = function() {
	if (this.f &= -3, 1 & this.f) return !1;
	if ((36 & this.f) == 32 || (this.f &= -5, this.g === qe)) return !0;
	if (this.g = qe, this.f |= 1, this.i > 0 && !Xe(this)) return this.f &= -2, !0;
	var e = ze;
	try {
		Ze(this), ze = this;
		var t = this.x();
		(16 & this.f || this.v !== t || this.i === 0) && (this.v = t, this.f &= -17, this.i++);
	} catch (e) {
		this.v = e, this.f |= 16, this.i++;
	}
	return ze = e, Qe(this), this.f &= -2, !0;
}, $e.prototype.S = function(e) {
	if (this.t === void 0) {
		this.f |= 36;
		for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
	}
	Ye.prototype.S.call(this, e);
}, $e.prototype.U = function(e) {
	if (this.t !== void 0 && (Ye.prototype.U.call(this, e), this.t === void 0)) {
		this.f &= -33;
		for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
	}
}, $e.prototype.N = function() {
	if (!(2 & this.f)) {
		this.f |= 6;
		for (var e = this.t; e !== void 0; e = e.x) e.t.N();
	}
}, Object.defineProperty($e.prototype, "value", { get: function() {
	if (1 & this.f) throw Error("Cycle detected");
	var e = Je(this);
	if (this.h(), e !== void 0 && (e.i = this.i), 16 & this.f) throw this.v;
	return this.v;
} });
function et(e, t) {
	return new $e(e, t);
}
function tt(e) {
	var t = e.j;
	if (e.j = void 0, typeof t == "function") {
		He++;
		var n = ze;
		ze = void 0;
		try {
			t();
		} catch (t) {
			throw e.f &= -2, e.f |= 8, nt(e), t;
		} finally {
			ze = n, Ie();
		}
	}
}
function nt(e) {
	for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
	e.x = void 0, e.s = void 0, tt(e);
}
function rt(e) {
	if (ze !== this) throw Error("Out-of-order effect");
	Qe(this), ze = e, this.f &= -2;
	try {
		8 & this.f && nt(this);
	} finally {
		Ie();
	}
}
function it(e, t) {
	this.x = e, this.j = void 0, this.s = void 0, this.u = void 0, this.f = 32, this.name = t?.name, Re && Re.push(this);
}
it.prototype.c = function() {
	var e = this.S();
	try {
		if (8 & this.f || this.x === void 0) return;
		var t = this.x();
		typeof t == "function" && (this.j = t);
	} finally {
		e();
	}
}, it.prototype.S = function() {
	if (1 & this.f) throw Error("Cycle detected");
	this.f |= 1, this.f &= -9, tt(this), Ze(this), He++;
	var e = ze;
	return ze = this, rt.bind(this, e);
}, it.prototype.N = function() {
	2 & this.f || (this.f |= 2, this.u = Ve, Ve = this);
}, it.prototype.d = function() {
	this.f |= 8, 1 & this.f || nt(this);
}, it.prototype.dispose = function() {
	this.d();
};
function at(e, t) {
	var n = new it(e, t);
	try {
		n.c();
	} catch (e) {
		throw n.d(), e;
	}
	var r = n.d.bind(n);
	return r[Symbol.dispose] = r, r;
}
// node_modules/@preact/signals/dist/signals.module.js
var ot, st, ct = typeof window < "u" && !!window.__PREACT_SIGNALS_DEVTOOLS__, lt = [];
at(function() {
	ot = this.N;
})();
function ut(t, n) {
	e[t] = n.bind(null, e[t] || function() {});
}
function dt(e) {
	if (st) {
		var t = st;
		st = void 0, t();
	}
	st = e && e.S();
}
function ft(e) {
	var t = this, r = e.data, i = mt(r);
	i.name = "ReactiveDom", i.value = r;
	var a = z(function() {
		for (var e = t, r = t.__v; r = r.__;) if (r.__c) {
			r.__c.__$f |= 4;
			break;
		}
		var a = et(function() {
			var e = i.value.value;
			return e === 0 ? 0 : !0 === e ? "" : e || "";
		}), o = et(function() {
			return !Array.isArray(a.value) && !n(a.value);
		}), s = at(function() {
			if (this.N = _t, o.value) {
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
ft.displayName = "ReactiveTextNode", Object.defineProperties(Ye.prototype, {
	constructor: {
		configurable: !0,
		value: y(x, null).constructor
	},
	type: {
		configurable: !0,
		value: ft
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
}), ut("__b", function(e, t) {
	if (dt(), typeof t.type == "string") {
		var n, r = t.props;
		for (var i in r) if (i !== "children") {
			var a = r[i];
			a instanceof Ye && (n || (t.__np = n = {}), n[i] = a, r[i] = a.peek());
		}
	}
	e(t);
}), ut("__r", function(e, t) {
	if (e(t), t.type !== x) {
		dt();
		var n, r = t.__c;
		r && (r.__$f &= -2, (n = r.__$u) === void 0 && (r.__$u = n = function(e, t) {
			var n;
			return at(function() {
				n = this;
			}, { name: t }), n.c = e, n;
		}(function(e) {
			return function() {
				var t;
				ct && ((t = this.y) == null || t.call(this)), e.__$f |= 1, e.setState({});
			};
		}(r), typeof t.type == "function" ? t.type.displayName || t.type.name : ""))), dt(n);
	}
}), ut("__e", function(e, t, n, r) {
	dt(), e(t, n, r);
}), ut("diffed", function(e, t) {
	dt();
	var n;
	if (typeof t.type == "string" && (n = t.__e)) {
		var r = t.__np, i = t.props, a = n.U;
		if (a) for (var o in a) {
			var s = a[o];
			s === void 0 || r && o in r || (s.d(), a[o] = void 0);
		}
		if (r) for (var c in a || (a = {}, n.U = a), r) {
			var l = a[c], u = r[c];
			l === void 0 ? (l = pt(n, c, u, i), a[c] = l) : l.o(u, i);
		}
	}
	e(t);
});
function pt(e, t, n, r) {
	var i = t in e && e.ownerSVGElement === void 0, a = B(n);
	return {
		o: function(e, t) {
			a.value = e, r = t;
		},
		d: at(function() {
			this.N = _t;
			var n = a.value.value;
			r[t] !== n && (r[t] = n, i ? e[t] = n : n != null && (!1 !== n || t[4] === "-") ? e.setAttribute(t, n) : e.removeAttribute(t));
		})
	};
}
ut("unmount", function(e, t) {
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
}), ut("__h", function(e, t, n, r) {
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
function mt(e, t) {
	return z(function() {
		return B(e, t);
	}, []);
}
var ht = function(e) {
	queueMicrotask(function() {
		queueMicrotask(e);
	});
};
function gt() {
	Le(function() {
		for (var e; e = lt.shift();) ot.call(e);
	});
}
function _t() {
	lt.push(this) === 1 && (e.requestAnimationFrame || ht)(gt);
}
function vt(e, t) {
	let n = Math.abs(e), r = n < 1e21 ? n.toFixed(t) : `${BigInt(n)}${t ? `.${"0".repeat(t)}` : ""}`, i = Math.abs(n * 2 ** (t + 1) % 2) === 1, a = r.charCodeAt(r.length - 1) - 48;
	return i && a % 2 == 1 && (r = r.slice(0, -1) + String(a - 1)), e < 0 || Object.is(e, -0) ? `-${r}` : r;
}
function yt(e) {
	return Math.sign(e) * Math.round(Math.abs(e));
}
function bt(e) {
	let t = BigInt(Math.abs(Math.trunc(e))).toString().replace(/\B(?=(\d{3})+$)/g, ",");
	return e <= -1 ? `-${t}` : t;
}
function xt(e) {
	let t = vt(e, 2), [n = "", r = ""] = t.split(".");
	return Math.abs(Number(n)) >= 1e3 ? `${bt(Number(n))}.${r}` : t;
}
function V(e) {
	let t = yt(e);
	if (Math.abs(t) < 1e3) return `${t === 0 ? 0 : t} ns`;
	let n = (e) => yt(t / e * 100) / 100;
	for (let [e, t] of [[1e3, "µs"], [1e6, "ms"]]) {
		let r = n(e);
		if (Math.abs(r) < 1e3) return `${vt(r, 2)} ${t}`;
	}
	return `${xt(n(1e9))} s`;
}
function H(e) {
	if (Math.abs(e) < 1024) return `${vt(e, 0)} B`;
	let t = e / 1024;
	for (let e of [
		"KiB",
		"MiB",
		"GiB"
	]) {
		if (Math.abs(t) < 1023.95) return `${vt(t, 1)} ${e}`;
		t /= 1024;
	}
	return `${vt(t, 1)} TiB`;
}
function U(e) {
	if (e !== 0 && Math.abs(e) < .05) return `${e < 0 ? ">-" : "<"}0.1%`;
	let t = `${vt(e, 1)}%`;
	return e < 100 && t === "100.0%" ? ">99.9%" : t;
}
function St(e, t) {
	let n = [
		"",
		"k",
		"M",
		"G",
		"T",
		"P",
		"E"
	], r = 0, i = e;
	for (; Math.abs(yt(i * 100)) >= 1e5 && r + 1 < n.length;) i /= 1e3, r += 1;
	return `${xt(i)} ${n[r]}${t}`;
}
function Ct(e, t, n = !Number.isInteger(e)) {
	if (!Number.isFinite(e)) return "-";
	switch (t) {
		case "ns": return V(e);
		case "B": return H(e);
		case "%": return U(e);
		case "GB/s": return `${xt(e)} GB/s`;
		case "FLOP": return St(e, "FLOP");
		case "GFLOP/s": return St(e * 1e9, "FLOP/s");
		case "FLOP/B": return xt(e);
		case "count": return Number.isInteger(e) ? bt(e) : xt(e);
		default: return n ? e !== 0 && Math.abs(e) < .005 ? e.toExponential(1) : xt(e) : String(e);
	}
}
function wt(e, t, n) {
	return e == null ? "-" : typeof e == "number" ? Ct(e, t, n) : typeof e == "string" ? e : e ? "yes" : "no";
}
function Tt(e) {
	return e.id.startsWith("delta_");
}
function Et(e, t, n) {
	let r = wt(e, t.unit, n);
	return Tt(t) && typeof e == "number" && e > 0 ? `+${r}` : r;
}
function Dt(e) {
	return e === "faster" || e === "less" ? "better" : e === "slower" || e === "more" || e === "fails" ? "worse" : void 0;
}
function Ot(e, t) {
	return `${bt(e)} ${t}${e === 1 ? "" : "s"}`;
}
function kt(e) {
	let t = [];
	for (let n of e) {
		let e = t.at(-1);
		e && (n === e[1] || n === e[1] + 1) ? e[1] = n : t.push([n, n]);
	}
	return t.map(([e, t]) => e === t ? String(e) : `${e}-${t}`).join(", ");
}
function At(e) {
	let t = e.replace(/_(ns|pct|bytes|gbps|count)$/, "").split("_").map((e) => e === "cpu" || e === "gpu" ? e.toUpperCase() : e).join(" ");
	return t.charAt(0).toUpperCase() + t.slice(1);
}
// src/source/document.ts
function W(e, t) {
	return e.sections.find((e) => e.id === t);
}
function jt(e, t, n) {
	return W(e, t)?.tables.find((e) => e.id === n);
}
function Mt(e, t, n) {
	let r = jt(e, t, n);
	return r ? r.rows.map((e, t) => {
		let n = { index: t };
		return r.columns.forEach((t, r) => {
			n[t.id] = e[r] ?? null;
		}), n;
	}) : [];
}
function Nt(e) {
	let t = typeof e.input == "string" ? e.input.split(/[\\/]/).findLast(Boolean) : void 0;
	return [typeof e.rank == "number" ? `rank ${e.rank}` : "", t].filter(Boolean).join(", ") || "all";
}
function Pt(e, t, n, r) {
	return W(e, t)?.numbers.find((e) => e.id === n && (r === void 0 || e.rank === r));
}
// src/state/index.ts
var Ft = B("overview"), It = B(/* @__PURE__ */ new Set()), Lt = B(null), Rt = B(null), zt = B({});
function Bt(e) {
	It.value = new Set(e);
}
function Vt(e) {
	let t = new Set(It.value);
	t.delete(e) || t.add(e), It.value = t;
}
function G(e, t = "") {
	return zt.value[e] ?? t;
}
function K(e, t) {
	let n = { ...zt.value };
	t === null ? delete n[e] : n[e] = t, zt.value = n;
}
var Ht = /* @__PURE__ */ new Set([
	"view",
	"select",
	"time",
	"rank"
]);
function Ut() {
	let e = new URLSearchParams();
	e.set("view", Ft.value);
	for (let t of It.value) e.append("select", t);
	Lt.value && e.set("time", Lt.value.map(Math.round).join("-")), Rt.value !== null && e.set("rank", String(Rt.value));
	for (let [t, n] of Object.entries(zt.value)) e.set(t, n);
	return e.toString();
}
function Wt(e) {
	let t = new URLSearchParams(e.replace(/^#/, ""));
	Ft.value = t.get("view") ?? "overview", It.value = new Set(t.getAll("select"));
	let n = /^(-?\d+)-(-?\d+)$/.exec(t.get("time") ?? "");
	Lt.value = n && Number(n[1]) < Number(n[2]) ? [Number(n[1]), Number(n[2])] : null;
	let r = Number.parseInt(t.get("rank") ?? "", 10);
	Rt.value = Number.isNaN(r) ? null : r, zt.value = Object.fromEntries([...t].filter(([e]) => !Ht.has(e)));
}
function Gt() {
	Wt(location.hash), addEventListener("hashchange", () => {
		location.hash.slice(1) !== Ut() && Wt(location.hash);
	});
	let e = Ft.value;
	at(() => {
		let t = `#${Ut()}`;
		t !== location.hash && (Ft.value === e ? history.replaceState(null, "", t) : history.pushState(null, "", t), e = Ft.value);
	});
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var Kt = Symbol.for("pv"), qt = 0;
Array.isArray;
function q(t, n, r, i, a, o) {
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
		constructor: Kt,
		__v: --qt,
		__i: -1,
		__u: 0
	};
	return (a || o) && (u.__source = a, u.__self = o), e.vnode && e.vnode(u), u;
}
// src/kit/tooltip.tsx
var Jt = B(null);
function Yt(e, t) {
	Jt.value = {
		x: e.clientX,
		y: e.clientY,
		content: t
	};
}
function Xt() {
	Jt.value &&= null;
}
function Zt(e, t, n, r, i) {
	let a = e + 12 + n > i.width ? e - 12 - n : e + 12, o = t + 12 + r > i.height ? t - 12 - r : t + 12;
	return [Math.max(4, Math.min(a, i.width - n - 4)), Math.max(4, Math.min(o, i.height - r - 4))];
}
function Qt() {
	let e = R(null), t = Jt.value;
	return Te(() => {
		if (!e.current || !t) return;
		let n = e.current.getBoundingClientRect(), [r, i] = Zt(t.x, t.y, n.width, n.height, {
			width: innerWidth,
			height: innerHeight
		});
		e.current.style.transform = `translate(${r}px, ${i}px)`;
	}), t ? /* @__PURE__ */ q("div", {
		class: "tooltip",
		role: "tooltip",
		ref: e,
		children: t.content
	}) : null;
}
function $t({ title: e, lines: t }) {
	return /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q("strong", { children: e }), /* @__PURE__ */ q("dl", { children: t.map(([e, t]) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e }), /* @__PURE__ */ q("dd", { children: t })] }, e)) })] });
}
// src/kit/explain.tsx
var en = {
	counter: "counted or recorded, not derived",
	formula: "computed from what was recorded",
	datasheet: "published by the vendor",
	measured: "measured on this machine",
	guess: "an assumption: nothing was recorded to compute it from"
}, J = B(null);
function tn(e, t) {
	let n = e.getBoundingClientRect();
	J.value = {
		explanation: t,
		x: n.left,
		y: n.bottom - 8,
		back: e.closest("button, [tabindex]")
	};
}
function nn() {
	if (!J.value) return !1;
	let { back: e } = J.value;
	return J.value = null, e instanceof HTMLElement && e.focus(), !0;
}
function rn(e, t) {
	if (typeof e == "number") return `${e}${t && t !== "count" ? ` ${t}` : ""}`;
}
function an(e, t) {
	let n = t?.numbers.filter((t) => t.rank === e.rank && t.id !== e.id) ?? [];
	return {
		title: `${At(e.id)}${e.rank === null || e.rank === void 0 ? "" : `, rank ${e.rank}`}`,
		text: wt(e.value, e.unit),
		...on("exact", rn(e.value, e.unit)),
		...on("formula", e.explain),
		...on("reason", e.reason),
		inputs: n.filter((t) => t.unit === e.unit).map((e) => [At(e.id), wt(e.value, e.unit)]),
		provenance: e.provenance,
		...on("section", t?.id)
	};
}
function Y(e, t, n, r) {
	let i = e.columns[n], a = r?.numbers.find((e) => e.id === i.id), o = t[n], s = o === null ? e.missing?.[i.id] : void 0;
	return {
		title: i.title ?? At(i.id),
		text: Et(o, i),
		...on("exact", rn(o, i.unit)),
		formula: a?.explain ?? e.title ?? "",
		...on("reason", s),
		inputs: e.columns.map((e, n) => [e.title ?? At(e.id), Et(t[n], e)]).filter(([, e], t) => t !== n && e !== "-"),
		provenance: a?.provenance ?? "formula",
		...on("section", r?.id),
		table: e.id
	};
}
function on(e, t) {
	return t === void 0 ? {} : { [e]: t };
}
function sn({ entry: e, section: t }) {
	return /* @__PURE__ */ q("button", {
		type: "button",
		class: "number",
		"aria-label": `${At(e.id)}: ${wt(e.value, e.unit)}, explain`,
		onClick: (n) => tn(n.currentTarget, an(e, t)),
		children: wt(e.value, e.unit)
	});
}
function cn({ about: e, children: t }) {
	return /* @__PURE__ */ q("button", {
		type: "button",
		class: "number",
		"aria-haspopup": "dialog",
		onClick: (t) => {
			t.stopPropagation(), tn(t.currentTarget, e());
		},
		children: t
	});
}
function ln({ document: e }) {
	let t = R(null), n = J.value;
	if (Te(() => {
		if (!t.current || !n) return;
		let e = t.current.getBoundingClientRect(), [r, i] = Zt(n.x - 12, n.y, e.width, e.height, {
			width: innerWidth,
			height: innerHeight
		});
		t.current.style.transform = `translate(${r}px, ${i}px)`, t.current.focus();
	}, [n]), L(() => {
		if (!n) return;
		let e = (e) => {
			t.current?.contains(e.target) || (J.value = null);
		};
		return addEventListener("pointerdown", e, !0), () => removeEventListener("pointerdown", e, !0);
	}, [n]), !n) return null;
	let { explanation: r } = n, i = r.section && W(e, r.section);
	return /* @__PURE__ */ q("div", {
		class: "explanation",
		role: "dialog",
		"aria-label": `About ${r.title}`,
		tabIndex: -1,
		ref: t,
		children: [
			/* @__PURE__ */ q("header", { children: [/* @__PURE__ */ q("span", { children: r.title }), /* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Close",
				onClick: () => nn(),
				children: "×"
			})] }),
			/* @__PURE__ */ q("p", {
				class: "big",
				children: [r.text, r.exact && r.exact !== r.text ? /* @__PURE__ */ q("small", { children: r.exact }) : null]
			}),
			r.reason ? /* @__PURE__ */ q("p", {
				class: "warning-text",
				children: ["No value: ", r.reason]
			}) : null,
			r.formula ? /* @__PURE__ */ q("p", { children: r.formula }) : null,
			r.provenance ? /* @__PURE__ */ q("p", {
				class: "quiet",
				children: [
					/* @__PURE__ */ q("b", { children: r.provenance }),
					": ",
					en[r.provenance] ?? ""
				]
			}) : null,
			r.inputs?.length ? /* @__PURE__ */ q("dl", {
				class: "lines",
				children: r.inputs.slice(0, 10).map(([e, t]) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e }), /* @__PURE__ */ q("dd", { children: t.length > 80 ? `${t.slice(0, 79)}…` : t })] }, e))
			}) : null,
			i ? /* @__PURE__ */ q("footer", { children: [/* @__PURE__ */ q("button", {
				type: "button",
				class: "link",
				onClick: () => {
					J.value = null, un(i.id, r.table);
				},
				children: [i.title, r.table ? `, table ${r.table}` : ""]
			}), /* @__PURE__ */ q("code", { children: `${i.id}${r.table ? `/${r.table}` : ""}` })] }) : null
		]
	});
}
function un(e, t) {
	K("sections.open", e), K("sections.table", t ?? null), Ft.value = "sections";
}
// src/kit/keys.ts
var dn = B([]);
function fn(e) {
	return dn.value = [...dn.value, ...e], () => {
		dn.value = dn.value.filter((t) => !e.includes(t));
	};
}
function pn(e, t = []) {
	L(() => fn(e()), [...t]);
}
function mn(e) {
	let t = [];
	(e.ctrlKey || e.metaKey) && t.push("Ctrl"), e.altKey && t.push("Alt"), e.shiftKey && e.key.length > 1 && t.push("Shift");
	let n = e.key === " " ? "Space" : e.key;
	return t.push(t.length > 0 && n.length === 1 ? n.toUpperCase() : n), t.join("+");
}
function hn(e) {
	return e instanceof HTMLElement ? e instanceof HTMLInputElement ? ![
		"checkbox",
		"radio",
		"range",
		"button"
	].includes(e.type) : e instanceof HTMLTextAreaElement || e instanceof HTMLSelectElement || e.isContentEditable : !1;
}
function gn(e) {
	if (e.defaultPrevented) return !1;
	let t = mn(e), n = hn(e.target);
	for (let r of dn.value.toReversed()) if (!(r.listed || !r.keys.includes(t) || n && !r.everywhere) && r.run(e) !== !1) return e.preventDefault(), !0;
	return !1;
}
function _n() {
	let e = (e) => void gn(e);
	return addEventListener("keydown", e), () => removeEventListener("keydown", e);
}
// src/kit/rows.ts
var vn = [
	"name",
	"operator",
	"annotation",
	"module",
	"kernel",
	"kernels"
];
function yn(e) {
	for (let t of vn) {
		let n = e.columns.findIndex((e) => e.id === t);
		if (n >= 0) return n;
	}
	return -1;
}
var bn = 200;
function xn(e) {
	if (e.length <= bn) return e;
	let t = Math.ceil(e.length / (bn / 2));
	return [...e.slice(0, bn / 2), ...e.filter((e, n) => n % t === 0)];
}
function Sn(e, t) {
	return e.reduce((e, n) => Math.max(e, Et(n[t.at], t.column, t.isFloat).length), 1);
}
var Cn = 140;
function wn(e) {
	let t = Math.max(...e.split(/\s+/).map((e) => e.length));
	return Math.max(Math.ceil(t * 1.12), Math.ceil(e.length / 2) + 2);
}
function Tn(e, t) {
	let n = xn(e.rows), r = yn(e), i = e.columns.map((t, i) => {
		let a = t.unit !== null && t.unit !== void 0, o = !1;
		for (let t of e.rows) {
			let e = t[i];
			if (typeof e == "number" && (a = !0, !Number.isInteger(e))) {
				o = !0;
				break;
			}
		}
		let s = Sn(n, {
			at: i,
			column: t,
			isFloat: o
		}), c = i === r ? "name" : a ? t.unit === "%" && !t.id.startsWith("delta_") ? "share" : "number" : "text";
		return {
			at: i,
			column: t,
			kind: c,
			isFloat: o,
			width: Math.max(c === "name" ? Math.min(Math.max(s, 16), 44) : c === "text" ? Math.min(Math.max(s, 6), 40) : Math.max(s, 5), Math.min(wn(t.title ?? t.id), 16)) + 2
		};
	}), a = Cn - i.reduce((e, t) => e + t.width, 0), o = i.filter((e) => (e.kind === "text" || e.kind === "name") && Sn(n, e) + 2 > e.width);
	for (let e of o) e.width += Math.max(0, Math.min(Math.floor(a / o.length), Sn(n, e) + 2 - e.width));
	let s = i.findIndex((e) => e.column.id === "share_pct");
	return r >= 0 && s > r && i.splice(r + 1, 0, ...i.splice(s, 1)), t ? i.filter((e) => t.includes(e.column.id)) : i;
}
var En = {
	"": 1,
	ns: 1,
	us: 1e3,
	µs: 1e3,
	ms: 1e6,
	s: 1e9,
	k: 1e3,
	m: 1e6,
	g: 1e9,
	kib: 1024,
	mib: 1024 ** 2,
	gib: 1024 ** 3,
	"%": 1
};
function Dn(e, t) {
	let n = t.trim().split(/\s+/).filter(Boolean).map((t) => {
		let n = /^(\w+)([:<>=])(.*)$/.exec(t), r = n ? e.columns.findIndex((e) => e.id === n[1]) : -1;
		if (n && r >= 0) {
			let [, , e, t = ""] = n, i = t.toLowerCase();
			if (e === ":") return (e) => String(e[r] ?? "").toLowerCase().includes(i);
			let a = /^(-?[\d.]+)([a-zµ%]*)$/.exec(i), o = a ? Number(a[1]) * (En[a[2] ?? ""] ?? NaN) : NaN;
			return (t) => {
				let n = t[r];
				return e === "=" ? String(n ?? "").toLowerCase() === i || n === o : typeof n == "number" && (e === "<" ? n < o : n > o);
			};
		}
		let i = t.length > 1 && t.startsWith("-"), a = (i ? t.slice(1) : t).toLowerCase(), o = (e) => e.some((e) => e !== null && String(e).toLowerCase().includes(a));
		return i ? (e) => !o(e) : o;
	});
	return (e) => n.every((t) => t(e));
}
function On(e, t) {
	let n = t.filter ? Dn(e, t.filter) : () => !0, r = typeof t.rank == "number" ? e.columns.findIndex((e) => e.id === "rank") : -1, i = [];
	e.rows.forEach((e, a) => {
		(r < 0 || e[r] === t.rank) && n(e) && i.push(a);
	});
	let a = t.sort?.startsWith("-") ?? !1, o = e.columns.findIndex((e) => e.id === t.sort?.replace(/^-/, ""));
	if (o < 0) return i;
	let s = a ? -1 : 1;
	return i.sort((t, n) => {
		let r = e.rows[t]?.[o] ?? null, i = e.rows[n]?.[o] ?? null;
		return r === null || i === null ? r === i ? t - n : r === null ? 1 : -1 : r === i ? t - n : typeof r == typeof i ? (r < i ? -1 : 1) * s : (typeof r == "number" ? -1 : 1) * s;
	});
}
function kn(e, t, n, r) {
	return [Math.max(0, Math.min(Math.floor(t / r) - 8, e - 1)), Math.min(e, Math.ceil((t + n) / r) + 8)];
}
// src/kit/theme.ts
var An = typeof matchMedia == "function" ? matchMedia("(prefers-color-scheme: dark)") : null, jn = B(An?.matches ? "dark" : "light");
An?.addEventListener("change", (e) => jn.value = e.matches ? "dark" : "light");
var Mn = et(() => {
	let e = G("theme", Fn());
	return e === "light" || e === "dark" ? e : "auto";
}), Nn = et(() => Mn.value === "auto" ? jn.value : Mn.value), Pn = "eaves.theme";
function Fn() {
	try {
		return localStorage.getItem(Pn) ?? "auto";
	} catch {
		return "auto";
	}
}
function In(e) {
	try {
		localStorage.setItem(Pn, e);
	} catch {}
	K("theme", e);
}
function Ln() {
	return at(() => {
		document.documentElement.dataset.theme = Nn.value;
	});
}
function Rn(e) {
	return document.documentElement.dataset.theme = Nn.value, getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();
}
// src/kit/export.tsx
var zn = B(null), Bn;
function Vn(e) {
	zn.value = e, clearTimeout(Bn), Bn = setTimeout(() => zn.value = null, 4e3);
}
function Hn(e) {
	if (e == null) return "";
	let t = String(e), n = typeof e == "string" && /^[=+\-@\t\r]/.test(t) ? `'${t}` : t;
	return /[",\r\n]/.test(n) ? `"${n.replaceAll("\"", "\"\"")}"` : n;
}
function Un(e) {
	let t = [e.columns.map((e) => Hn(e.id)).join(",")];
	for (let n of e.rows) t.push(e.columns.map((e, t) => Hn(n[t])).join(","));
	return `${t.join("\r\n")}\r\n`;
}
function Wn(e) {
	let t = e.rows.map((t) => Object.fromEntries(e.columns.map((e, n) => [e.id, t[n] ?? null])));
	return JSON.stringify(t, null, 1);
}
function Gn(e) {
	return /^[\w@%+=:,./-]+$/.test(e) ? e : `'${e.replaceAll("'", "'\\''")}'`;
}
function Kn(e, t, n = "") {
	return [
		"eaves",
		t ?? /^eaves\.([a-z]+)\//.exec(e.schema)?.[1] ?? "report",
		...e.inputs.map((e) => Gn(e.path)),
		n
	].filter(Boolean).join(" ");
}
function qn(e, t) {
	let n = URL.createObjectURL(t), r = window.document.createElement("a");
	r.href = n, r.download = e, r.click(), setTimeout(() => URL.revokeObjectURL(n), 1e4);
}
async function Jn(e, t) {
	try {
		await navigator.clipboard.writeText(e);
	} catch {
		let t = window.document.createElement("textarea");
		t.value = e, window.document.body.append(t), t.select();
		let n = window.document.execCommand("copy");
		if (t.remove(), !n) {
			Vn("The browser allows no copying here; save the file instead");
			return;
		}
	}
	Vn(`${t} copied`);
}
var Yn = [
	"fill",
	"fill-opacity",
	"stroke",
	"stroke-width",
	"stroke-dasharray",
	"stroke-opacity",
	"stroke-linecap",
	"opacity",
	"font-family",
	"font-size",
	"font-weight",
	"text-anchor",
	"dominant-baseline",
	"paint-order",
	"stroke-linejoin",
	"visibility",
	"display"
];
function Xn(e) {
	let t = e.cloneNode(!0), n = [e, ...e.querySelectorAll("*")];
	[t, ...t.querySelectorAll("*")].forEach((e, t) => {
		let r = n[t];
		if (!r || !("style" in e)) return;
		let i = getComputedStyle(r);
		for (let t of Yn) e.style.setProperty(t, i.getPropertyValue(t));
		for (let t of ["fill", "stroke"]) e.getAttribute(t)?.includes("var(") && e.removeAttribute(t);
		e.removeAttribute("class");
	});
	let { width: r, height: i } = e.getBoundingClientRect();
	return t.setAttribute("xmlns", "http://www.w3.org/2000/svg"), t.setAttribute("width", String(Math.round(r))), t.setAttribute("height", String(Math.round(i))), t.style.background = getComputedStyle(window.document.documentElement).getPropertyValue("--surface"), new XMLSerializer().serializeToString(t);
}
async function Zn(e) {
	let { width: t, height: n } = e.getBoundingClientRect(), r = new Image();
	r.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(Xn(e))}`, await r.decode();
	let i = window.document.createElement("canvas");
	i.width = Math.round(t * 2), i.height = Math.round(n * 2);
	let a = i.getContext("2d");
	if (!a) throw Error("no canvas");
	return a.fillStyle = getComputedStyle(window.document.documentElement).getPropertyValue("--surface"), a.fillRect(0, 0, i.width, i.height), a.drawImage(r, 0, 0, i.width, i.height), Qn(i);
}
function Qn(e) {
	return new Promise((t, n) => e.toBlob((e) => e ? t(e) : n(/* @__PURE__ */ Error("the picture is empty")), "image/png"));
}
function $n(e) {
	let { name: t, svg: n, canvas: r, table: i, json: a, command: o } = e, s = [];
	if (n || r) {
		let e = async () => {
			let e = n?.();
			if (e) return Zn(e);
			let t = r?.();
			if (t) return Qn(t);
			throw Error("nothing is drawn yet");
		};
		s.push({
			label: "Copy as PNG",
			run: async () => {
				await navigator.clipboard.write([new ClipboardItem({ "image/png": e() })]), Vn("Picture copied");
			}
		}), s.push({
			label: "Save as PNG",
			run: async () => qn(`${t}.png`, await e())
		});
	}
	if (n) {
		let e = () => {
			let e = n();
			return e ? Xn(e) : "";
		};
		s.push({
			label: "Save as SVG",
			run: () => qn(`${t}.svg`, new Blob([e()], { type: "image/svg+xml" }))
		});
	}
	if (i) s.push({
		label: "Copy as CSV",
		run: () => Jn(Un(i()), "CSV")
	}), s.push({
		label: "Save as CSV",
		run: () => qn(`${t}.csv`, new Blob([Un(i())], { type: "text/csv" }))
	}), s.push({
		label: "Copy as JSON",
		run: () => Jn(Wn(i()), "JSON")
	}), s.push({
		label: "Save as JSON",
		run: () => qn(`${t}.json`, new Blob([Wn(i())], { type: "application/json" }))
	});
	else if (a) {
		let e = () => JSON.stringify(a(), null, 1);
		s.push({
			label: "Copy as JSON",
			run: () => Jn(e(), "JSON")
		}), s.push({
			label: "Save as JSON",
			run: () => qn(`${t}.json`, new Blob([e()], { type: "application/json" }))
		});
	}
	return o && s.push({
		label: "Copy command line",
		run: () => Jn(o, o)
	}), s;
}
function er({ exports: e }) {
	let [t, n] = F(!1), r = R(null);
	L(() => {
		if (!t) return;
		r.current?.querySelector("[role=menuitem]")?.focus();
		let e = (e) => {
			r.current?.contains(e.target) || n(!1);
		};
		return addEventListener("pointerdown", e, !0), () => removeEventListener("pointerdown", e, !0);
	}, [t]);
	let i = $n(e);
	if (i.length === 0) return null;
	let a = () => {
		n(!1), r.current?.querySelector("button")?.focus();
	};
	return /* @__PURE__ */ q("div", {
		class: "menu",
		ref: r,
		children: [/* @__PURE__ */ q("button", {
			type: "button",
			class: "quiet-button",
			"aria-haspopup": "menu",
			"aria-expanded": t,
			"aria-label": `Export ${e.name}`,
			onClick: () => n(!t),
			children: "Export"
		}), t ? /* @__PURE__ */ q("div", {
			role: "menu",
			"aria-label": "Export",
			onKeyDown: (e) => {
				let t = [...r.current?.querySelectorAll("[role=menuitem]") ?? []], n = t.indexOf(window.document.activeElement), i = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
				if (i) t[(n + i + t.length) % t.length]?.focus();
				else if (e.key === "Escape") a();
				else return;
				e.preventDefault(), e.stopPropagation();
			},
			children: i.map((e) => /* @__PURE__ */ q("button", {
				type: "button",
				role: "menuitem",
				tabIndex: -1,
				onClick: () => {
					a(), Promise.resolve().then(() => e.run()).catch((e) => Vn(`Not exported: ${e instanceof Error ? e.message : String(e)}`));
				},
				children: e.label
			}, e.label))
		}) : null]
	});
}
// src/kit/panel.tsx
function X({ title: e, note: t, tools: n, exports: r, fill: i, class: a, children: o }) {
	let s = Ee();
	return /* @__PURE__ */ q("section", {
		class: `panel${i ? " fill" : ""}${a ? ` ${a}` : ""}`,
		"aria-labelledby": s,
		children: [
			/* @__PURE__ */ q("header", { children: [/* @__PURE__ */ q("h2", {
				id: s,
				children: e
			}), /* @__PURE__ */ q("div", {
				class: "tools",
				children: [n, r ? /* @__PURE__ */ q(er, { exports: r }) : null]
			})] }),
			t ? /* @__PURE__ */ q("p", {
				class: "note",
				children: typeof t == "string" ? /* @__PURE__ */ q(nr, { text: t }) : t
			}) : null,
			o
		]
	});
}
function tr({ children: e }) {
	return /* @__PURE__ */ q("p", {
		class: "empty",
		role: "note",
		children: typeof e == "string" ? /* @__PURE__ */ q(nr, { text: e }) : e
	});
}
function nr({ text: e, sentence: t = !1 }) {
	return /* @__PURE__ */ q(x, { children: (t && /^[a-z]+[ ,:;]/.test(e) ? e.charAt(0).toUpperCase() + e.slice(1) : e).split("`").map((e, t) => t % 2 ? /* @__PURE__ */ q("code", { children: e }, t) : e) });
}
// src/views/roofline/text.ts
function rr(e) {
	let t = Math.abs(e), n = e.toFixed(t >= 99.95 ? 0 : t >= 9.995 ? 1 : t >= .9995 ? 2 : 3);
	return n.includes(".") ? n.replace(/\.?0+$/, "") : n;
}
function ir(e) {
	if (e === null || !Number.isFinite(e)) return "-";
	let t = 0, n = e;
	for (; Math.abs(n) >= 999.5 && t < 6;) n /= 1e3, t += 1;
	let r = n === 0 || Math.abs(n) >= 95e-5 ? rr(n) : n.toExponential(0);
	return t ? `${r} ${"kMGTPE"[t - 1]}` : r;
}
function ar(e, t) {
	let n = ir(e);
	return n === "-" ? n : n.includes(" ") ? n + t : `${n} ${t}`;
}
function or(e) {
	return e >= 999.5 && e < 9999.5 ? e.toFixed(0) : ir(e);
}
// src/views/bench/roofs.ts
var sr = {
	device: "",
	slopes: [],
	peaks: /* @__PURE__ */ new Map(),
	measured: !1
};
function cr(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of Mt(e, "devices", "peaks")) n.kind === "dense" && typeof n.rate_gflops == "number" && typeof n.peak == "string" && t.set(n.peak.replace("_", " "), n.rate_gflops);
	let n = Mt(e, "devices", "memory").find((e) => typeof e.bandwidth_gbps == "number"), r = Mt(e, "devices", "properties").find((e) => e.property === "name")?.text, i = typeof n?.bandwidth_gbps == "number" ? n.bandwidth_gbps : 0, a = i > 0 ? [{
		rate: i,
		main: !0,
		measured: !1,
		name: `${String(n?.name ?? "memory")} ${ar(i * 1e9, "B/s")}`
	}] : [];
	return {
		device: typeof r == "string" ? r : "",
		slopes: a,
		peaks: t,
		measured: !1
	};
}
function lr(e) {
	let t = {
		device: "",
		slopes: [],
		peaks: /* @__PURE__ */ new Map(),
		measured: !0
	};
	for (let n of Mt(e, "measured-roofs", "roofs")) {
		let e = typeof n.all == "number" ? n.all : typeof n.one_core == "number" ? n.one_core : 0;
		if (e <= 0) continue;
		let r = String(n.name ?? "");
		n.kind === "memory" ? t.slopes.push({
			rate: e,
			measured: !0,
			main: !1,
			name: `${r} ${ar(e * 1e9, "B/s")}, measured`
		}) : n.kind === "arithmetic" && t.peaks.set(r.replace("_", " "), e);
	}
	let n = t.slopes.reduce((e, t) => e && e.rate <= t.rate ? e : t, null);
	return n && (n.main = !0), t;
}
function ur(e, t) {
	let n = /* @__PURE__ */ new Map();
	for (let [r, i] of e.peaks) t.has(r) && n.set(i, [...n.get(i) ?? [], r]);
	return [...n].map(([t, n]) => ({
		rate: t,
		measured: e.measured,
		name: `${n.join(" / ")} ${ar(t * 1e9, "FLOP/s")}`
	}));
}
function dr(e, t, n) {
	let r = /* @__PURE__ */ new Set();
	for (let t of n) t !== null && e.peaks.has(t) && r.add(t);
	for (let n of t) {
		let t = n.toLowerCase().split(/[_/@]/)[0] ?? "", i = [...e.peaks.keys()].filter((e) => e.split(" ")[0] === t), a = i.find((e) => e.endsWith("matrix")) ?? i[0];
		a && r.add(a);
	}
	return r;
}
// src/views/bench/hooks.ts
var fr = /* @__PURE__ */ new WeakMap();
function pr(e, t) {
	let n = fr.get(e);
	n || fr.set(e, n = /* @__PURE__ */ new Map());
	let r = n.get(t);
	return r || (r = e.ask(t), n.set(t, r), r.catch(() => n.delete(t))), r;
}
function mr(e, t) {
	let [n, r] = F({
		answer: null,
		problem: null
	});
	return L(() => {
		if (!e.live || !t) return;
		let n = !0;
		return pr(e, t).then((e) => n && r({
			answer: e,
			problem: null
		}), (e) => n && r({
			answer: null,
			problem: e instanceof Error ? e.message : String(e)
		})), () => {
			n = !1;
		};
	}, [e, t]), n;
}
function hr(e) {
	return mr(e, "presets");
}
function gr(e) {
	return mr(e, "precisions");
}
function _r(e, t) {
	let { answer: n } = mr(e, t ? `devices/${encodeURIComponent(t)}` : ""), [r, i] = F(sr);
	return L(() => {
		n && i(cr(n));
	}, [n]), r;
}
// src/views/roofline/classify.ts
var vr = [
	"Compute Bound",
	"Memory Bound",
	"Compute Inefficient",
	"Memory Inefficient",
	"Normal",
	"Error"
], yr = {
	bound: 70,
	compute: 40,
	memory: 40,
	balanced: 1.2
};
function br(e, t, n, r, i) {
	let a = e.levels[0], o = (a && n.get(a.id)) ?? null, { compute: s } = e, c = (s !== null || t === 0) && (a !== void 0 || o === null || o === 0), l = null, u = null, d = !1, f = (e, t, n) => {
		e > 0 && (l === null || e > l) && ([l, u, d] = [
			e,
			t,
			n
		]);
	};
	s && f(t / s.rate, s.name, !1), e.levels.forEach((e, t) => {
		let r = n.get(e.id);
		r !== void 0 && f(r / e.rate, e.name, t > 0);
	}), c || ([l, u] = [null, null]);
	let p = l, m = o === null || o === 0 && t === 0 ? null : t / o, h = s && a ? s.rate / a.rate : null, g = m !== null && h !== null ? m / h : null, _ = r !== null && r > 0 ? r : null, v = _ === null ? null : t / _, y = _ === null || o === null ? null : o / _, b = p === null || _ === null ? null : 100 * p / _, x = !d && (g === null ? t > 0 && (o === null || o === 0) : g >= 1), S = a && !d && y !== null ? 100 * y / a.rate : b;
	return {
		intensity: m,
		knee: h,
		ideal: p,
		attainable: p === null ? null : t / p,
		class: p === null ? null : xr(d ? null : g, x, i),
		boundBy: u,
		achieved: v,
		bandwidth: y,
		pct: b,
		headroom: p === null || _ === null ? null : _ - p,
		flag: b !== null && b > 100 * (1 + 1e-9) ? Cr(e, v ?? 0, o ?? 0) : null,
		status: b === null ? "Error" : Sr(x, b, S ?? b, i)
	};
}
function xr(e, t, n) {
	return e !== null && n.balanced > 1 && e >= 1 / n.balanced && e <= n.balanced ? "balanced" : t ? "compute-bound" : "memory-bound";
}
function Sr(e, t, n, r) {
	return t > r.bound ? e ? "Compute Bound" : "Memory Bound" : e && t < r.compute ? "Compute Inefficient" : !e && n < r.memory ? "Memory Inefficient" : "Normal";
}
function Cr(e, t, n) {
	if (e.compute && t > e.compute.rate) {
		let { sparse: n } = e.compute;
		return n != null && t <= n ? "sparse" : "compute";
	}
	return e.cache && n <= e.cache.bytes ? "cached" : "bandwidth";
}
var wr = {
	sparse: "above the dense peak but within the sparse one: structured sparsity, or operations are counted that were skipped",
	compute: "more operations per second than the peak: operations are counted that were not done, the time is too short, or the peak is that of another device or type",
	cached: "more bytes per second than memory can move, and few enough to have come from a cache",
	bandwidth: "more bytes per second than memory can move: caches kept them away from memory, the time is too short, or the bandwidth is that of another device"
}, Tr = [
	"llc",
	"l2",
	"l1",
	"lds"
];
function Er(e, t) {
	let n = e[t];
	return typeof n == "number" && Number.isFinite(n) ? n : null;
}
function Dr(e, t) {
	let n = e[t];
	return typeof n == "string" ? n : "";
}
function Or(e) {
	let t = Dr(e, "status"), n = Er(e, "intensity"), r = Er(e, "delta_log10_oi_to_knee"), i = {};
	for (let t of Tr) {
		let n = {
			bytes: Er(e, `bytes_${t}`),
			intensity: Er(e, `intensity_${t}`)
		};
		(n.bytes !== null || n.intensity !== null) && (i[t] = n);
	}
	return {
		index: e.index,
		name: Dr(e, "name"),
		kind: Dr(e, "kind"),
		dtype: Dr(e, "dtype"),
		calls: Er(e, "calls"),
		flops: Er(e, "flops"),
		macs: Er(e, "macs"),
		bytes: Er(e, "bytes"),
		time: Er(e, "time_ns"),
		intensity: n,
		achieved: Er(e, "achieved_gflops"),
		bandwidth: Er(e, "achieved_gbps"),
		roof: Er(e, "roof_gflops"),
		pct: Er(e, "pct_of_roof"),
		class: Dr(e, "class") || null,
		boundBy: Dr(e, "bound_by") || null,
		delta: r,
		headroom: Er(e, "headroom_ns"),
		status: vr.find((e) => e === t) ?? "Error",
		symbol: Dr(e, "symbol"),
		ideal: Er(e, "ideal_intensity"),
		dataEfficiency: Er(e, "data_efficiency_pct"),
		flag: Dr(e, "flag") || null,
		record: Dr(e, "record") || null,
		caches: i,
		knee: n !== null && n > 0 && r !== null ? n / 10 ** r : null,
		ceiling: null,
		adjustable: !1
	};
}
function kr(e) {
	let [t = e, ...n] = e.split(/[ _]+/);
	return [t, n.join(" ").replace("tensor", "matrix")];
}
function Ar(e) {
	let t = Er(e, "rate"), n = e.kind === "memory" ? "memory" : "compute";
	if (t === null || t <= 0) return null;
	let r = Dr(e, "name"), [i, a] = kr(r), o = Dr(e, "confidence");
	return {
		name: r,
		kind: n,
		rate: t,
		counts: Dr(e, "counts"),
		knee: Er(e, "knee"),
		source: Dr(e, "source"),
		confidence: o,
		measured: o === "measured",
		type: i,
		unit: a
	};
}
function jr(e) {
	return Mt(e, "measured-roofs", "roofs").flatMap((e) => {
		let t = Er(e, "all") ?? Er(e, "one_core");
		if (t === null || t <= 0 || e.kind !== "memory" && e.kind !== "arithmetic") return [];
		let n = e.kind === "memory" ? "memory" : "compute", r = Dr(e, "name"), [i, a] = kr(r);
		return [{
			name: r,
			kind: n,
			rate: t,
			counts: n === "memory" ? "byte" : "flop",
			knee: null,
			source: "measured on this machine",
			confidence: "measured",
			measured: !0,
			type: i,
			unit: a
		}];
	});
}
function Mr(e, t, n = 0) {
	return e !== null && t !== null && t !== 0 && Math.abs(e / t - 1) < 1e-6 + n;
}
function Nr(e, t) {
	let n = t.find((t) => t.name === e.boundBy);
	if (n) return n;
	let r = t.filter((t) => Mr(e.knee, t.knee));
	return r.find((t) => Pr(e, t)) ?? r[0] ?? null;
}
function Pr(e, t) {
	return e.boundBy === t.name || kr(e.dtype.toLowerCase())[0] === t.type.toLowerCase();
}
function Fr(e) {
	return e.map((e, t) => ({
		id: t === 0 ? "main" : Ir(e.name),
		name: e.name,
		rate: e.rate * 1e9
	}));
}
function Ir(e) {
	let t = e.toLowerCase();
	return /lds|shared/.test(t) ? "lds" : /infinity|llc|mall|l3/.test(t) ? "llc" : /l2/.test(t) ? "l2" : /l1/.test(t) ? "l1" : t;
}
function Lr(e, t) {
	return t === "mac" ? e.macs : e.flops;
}
function Rr(e) {
	let t = /* @__PURE__ */ new Map();
	e.bytes !== null && t.set("main", e.bytes);
	for (let n of Tr) {
		let r = e.caches[n]?.bytes;
		r != null && t.set(n, r);
	}
	return t;
}
function zr(e, t, n, r = yr) {
	let i = n.find((t) => t.name === e.ceiling), a = Lr(e, i?.counts);
	if (a === null) return null;
	let o = i ? {
		name: i.name,
		rate: i.rate * 1e9
	} : null, s = e.time === null ? null : e.time / 1e9 / (e.calls || 1);
	return br({
		compute: o,
		levels: Fr(t)
	}, a, Rr(e), s, r);
}
function Br(e) {
	let t = Mt(e, "roofline", "points").map(Or), n = Mt(e, "roofline", "roofs").flatMap((e) => Ar(e) ?? []), r = n.filter((e) => e.kind === "memory"), i = n.filter((e) => e.kind === "compute");
	for (let e of t) {
		e.ceiling = Nr(e, i)?.name ?? null;
		let t = zr(e, r, i), n = e.time ? .5 / e.time : 0;
		e.adjustable = t !== null && (Mr(t.pct, e.pct, n) || t.pct === null && e.pct === null);
	}
	let a = Pt(e, "roofline", "device")?.value, o = Vr(t, i), s = o.filter((e) => e.counts === "mac").length;
	return {
		device: typeof a == "string" ? a : "",
		points: t,
		memory: r,
		compute: i,
		beside: jr(e),
		used: new Set(o.map((e) => e.name)),
		counts: s === 0 ? "FLOP" : s === o.length ? "MAC" : "OP",
		unmodelled: Mt(e, "roofline", "unmodelled"),
		operators: Mt(e, "roofline", "by_operator"),
		levels: Tr.filter((e) => t.some((t) => (t.caches[e]?.intensity ?? 0) > 0)),
		time: t.reduce((e, t) => e + Math.max(0, t.time ?? 0), 0)
	};
}
function Vr(e, t) {
	let n = t.filter((t) => e.some((e) => e.boundBy === t.name || Mr(e.knee, t.knee)));
	n.length || (n = [...t]);
	let r = (t) => e.some((e) => Pr(e, t)), i = new Set(n.filter(r).map((e) => e.rate));
	return n.filter((e) => r(e) || !i.has(e.rate));
}
function Hr(e, t) {
	let { achieved: n, roof: r, bandwidth: i } = e, a = t === "main" ? e.intensity : e.caches[t]?.intensity ?? null, o = a !== null && a > 0 ? a : null;
	return o !== null && n !== null && n > 0 ? {
		at: "chart",
		x: o,
		y: n,
		guess: !1
	} : t !== "main" || n !== null && n > 0 && a === null && i === null && Object.keys(e.caches).length ? null : n !== null && n > 0 ? {
		at: "still",
		y: n
	} : o !== null && n === null && r !== null && r > 0 ? {
		at: "chart",
		x: o,
		y: r,
		guess: !0
	} : i !== null && i > 0 ? {
		at: "copies",
		y: i
	} : null;
}
// src/views/roofline/choices.ts
var Ur = [
	"status",
	"kind",
	"dtype"
], Wr = {
	status: "Status",
	kind: "Category",
	dtype: "Type"
}, Gr = "roofline.";
function Kr(e) {
	let t = G(Gr + e);
	return new Set(t ? t.split("\n") : []);
}
function qr(e, t) {
	let n = Kr(e);
	n.delete(t) || n.add(t), K(Gr + e, n.size ? [...n].join("\n") : null);
}
function Jr(e, t) {
	K(Gr + e, t);
}
function Yr(e) {
	let t = G(`${Gr}colour`, "status"), n = G(`${Gr}level`, "main"), r = Number(G(`${Gr}share`, "100"));
	return {
		colour: Ur.find((e) => e === t) ?? "status",
		level: Tr.find((t) => t === n && e.levels.includes(t)) ?? "main",
		share: r >= 1 && r <= 100 ? r : 100,
		query: G(`${Gr}query`),
		off: {
			status: Kr("off.status"),
			kind: Kr("off.kind"),
			dtype: Kr("off.dtype")
		},
		flipped: Kr("roofs"),
		measured: G(`${Gr}measured`) !== "no",
		gaps: G(`${Gr}gaps`) !== "no",
		only: G(`${Gr}only`) === "yes",
		device: G(`${Gr}device`),
		side: G(`${Gr}side`, "kernels")
	};
}
var Xr = Object.keys(yr);
function Zr() {
	let e = /* @__PURE__ */ new Map(), t = {};
	for (let [n, r] of Object.entries(zt.value)) {
		let i = Number(r);
		if (!Number.isFinite(i)) continue;
		n.startsWith(`${Gr}rate.`) && i > 0 && e.set(n.slice(14), i);
		let a = Xr.find((e) => n === `${Gr}limit.${e}`);
		a && i >= 0 && (t[a] = i);
	}
	return {
		rates: e,
		limits: t
	};
}
function Qr(e, t) {
	K(`${Gr}rate.${e}`, t === null ? null : String(t));
}
function $r(e, t) {
	K(`${Gr}limit.${e}`, t === null || t === yr[e] ? null : String(t));
}
function ei({ rates: e, limits: t }) {
	let n = Object.entries(zt.value).filter(([e]) => !e.startsWith(`${Gr}rate.`) && !e.startsWith(`${Gr}limit.`));
	for (let [t, r] of e) n.push([`${Gr}rate.${t}`, String(r)]);
	for (let [e, r] of Object.entries(t)) n.push([`${Gr}limit.${e}`, String(r)]);
	zt.value = Object.fromEntries(n);
}
function ti(e, t) {
	return e[t] || "not said";
}
function ni(e, t) {
	let n = /* @__PURE__ */ new Map();
	for (let r of e) {
		let e = ti(r, t), i = n.get(e) ?? {
			name: e,
			count: 0,
			time: 0
		};
		i.count += 1, i.time += Math.max(0, r.time ?? 0), n.set(e, i);
	}
	return [...n.values()].sort((e, t) => t.time - e.time || t.count - e.count);
}
function ri(e) {
	let t = e.map((e, t) => t).sort((t, n) => (e[n]?.time ?? 0) - (e[t]?.time ?? 0)), n = e.reduce((e, t) => e + Math.max(0, t.time ?? 0), 0), r = Array(e.length).fill(0), i = 0;
	for (let a of t) r[a] = n ? 100 * i / n : 0, i += Math.max(0, e[a]?.time ?? 0);
	return {
		order: t,
		before: r
	};
}
function ii(e, t, n) {
	let { order: r, before: i } = ri(e), a = t.query.toLowerCase();
	return r.filter((r) => {
		let o = e[r];
		return !o || t.share < 100 && (i[r] ?? 0) >= t.share || Ur.some((e) => t.off[e].has(ti(o, e))) || a && !o.name.toLowerCase().includes(a) ? !1 : !t.only || n.size === 0 || n.has(o.name);
	});
}
// src/views/roofline/device.tsx
function ai() {
	return encodeURIComponent(new URLSearchParams(location.search).get("run") ?? "latest");
}
function oi(e) {
	let [t, n] = F([]);
	return L(() => {
		e.live && e.ask("devices").then((e) => n(Mt(e, "devices", "devices").map((e) => ({
			id: String(e.id ?? ""),
			name: String(e.full_name ?? e.id ?? "")
		})))).catch(() => n([]));
	}, [e]), t;
}
function si(e, t, n) {
	let [r, i] = F(null), [a, o] = F(null);
	return L(() => {
		if (!n || !e.live) {
			o(null);
			return;
		}
		let t = !0;
		return o("computing…"), e.ask(`runs/${ai()}/roofline?device=${encodeURIComponent(n)}`).then((e) => {
			t && (i({
				device: n,
				document: e
			}), o(null));
		}).catch((e) => {
			t && o(e instanceof Error ? e.message : String(e));
		}), () => {
			t = !1;
		};
	}, [
		e,
		t,
		n
	]), {
		document: n && r?.device === n ? r.document : t,
		state: a
	};
}
function ci({ source: e, own: t, device: n, custom: r, state: i }) {
	let a = oi(e);
	return /* @__PURE__ */ q("label", {
		class: "device",
		children: [
			/* @__PURE__ */ q("span", {
				class: "quiet",
				children: "Device"
			}),
			e.live && a.length ? /* @__PURE__ */ q("select", {
				value: n,
				onChange: (e) => Jr("device", e.currentTarget.value || null),
				"aria-label": "Device",
				children: [/* @__PURE__ */ q("option", {
					value: "",
					children: t || "of the document"
				}), a.map((e) => /* @__PURE__ */ q("option", {
					value: e.id,
					children: e.name
				}, e.id))]
			}) : /* @__PURE__ */ q("button", {
				type: "button",
				class: "link",
				title: "Peaks and bandwidths can be changed under Adjust; other devices need a server: `eaves open FILE`",
				onClick: () => Jr("side", "adjust"),
				children: t || "not named"
			}),
			r ? /* @__PURE__ */ q("b", {
				class: "warning-text",
				children: " with custom numbers"
			}) : null,
			i ? /* @__PURE__ */ q("span", {
				class: "quiet",
				children: [" ", i]
			}) : null
		]
	});
}
// src/views/roofline/marks.ts
var li = 2 * Math.PI;
function ui(e, t, n) {
	return Array.from({ length: e }, (r, i) => {
		let a = n + li * i / e;
		return [t(i) * Math.cos(a), t(i) * Math.sin(a)];
	});
}
function di(e, t) {
	let n = (e, n) => {
		let r = t * Math.sqrt(li / (e * Math.sin(li / e)));
		return ui(e, () => r, n);
	};
	switch (e) {
		case "circle": return [];
		case "square": return n(4, Math.PI / 4);
		case "triangle-up": return n(3, -Math.PI / 2);
		case "pentagon": return n(5, -Math.PI / 2);
		case "star": {
			let e = t * Math.sqrt(Math.PI / (2.5 * Math.sin(Math.PI / 5)));
			return ui(10, (t) => t % 2 ? e / 2 : e, -Math.PI / 2);
		}
		default: return n(4, 0);
	}
}
var fi = /* @__PURE__ */ new Map();
function pi(e, t) {
	let n = `${e} ${t.toFixed(1)}`, r = fi.get(n);
	if (r === void 0) {
		let i = di(e, t);
		r = i.length ? `M${i.map(([e, t]) => `${e.toFixed(2)} ${t.toFixed(2)}`).join("L")}z` : `M${-t} 0a${t} ${t} 0 1 0 ${2 * t} 0a${t} ${t} 0 1 0 ${-2 * t} 0z`, fi.set(n, r);
	}
	return r;
}
function mi(e, t, n, r, i, a) {
	e.beginPath();
	let o = di(r.symbol, r.radius);
	if (o.length === 0) e.arc(t, n, r.radius, 0, li);
	else for (let [r, i] of o) e.lineTo(t + r, n + i);
	e.closePath();
	let s = e.globalAlpha;
	e.fillStyle = i, e.globalAlpha = s * hi[r.fill], e.fill(), e.globalAlpha = s, e.setLineDash(r.fill === "open" ? [2, 1.5] : []), e.lineWidth = r.fill === "hollow" ? 1.6 : r.fill === "full" ? .8 : 1, e.strokeStyle = r.fill === "full" ? a : i, e.stroke();
}
var hi = {
	full: 1,
	half: .3,
	hollow: .06,
	open: 0
};
function gi(e) {
	return e === "Compute Bound" || e === "Memory Bound" ? "full" : e === "Compute Inefficient" || e === "Memory Inefficient" ? "hollow" : e === "Normal" ? "half" : "open";
}
function _i(e, t) {
	return Math.min(t > 200 ? 10 : 14, Math.max(t > 800 ? 2 : t > 200 ? 2.6 : t > 24 ? 3.6 : 4.6, 30 * Math.sqrt(Math.max(0, e))));
}
var vi = {
	circle: "matrix product",
	square: "convolution",
	"triangle-up": "elementwise",
	pentagon: "attention",
	diamond: "other",
	star: "something wrong"
}, yi = 2, bi = [
	4,
	12,
	24,
	42,
	64
], xi = [
	0,
	6,
	11,
	1,
	7,
	5,
	9,
	3,
	10,
	2,
	8,
	4
];
function Si(e, t) {
	return e[0] < t[2] && t[0] < e[2] && e[1] < t[3] && t[1] < e[3];
}
function Ci([e, t, n, r], i) {
	let a = 0, o = 1, [s, c] = [n - e, r - t];
	for (let [n, r] of [
		[-s, e - i[0]],
		[s, i[2] - e],
		[-c, t - i[1]],
		[c, i[3] - t]
	]) if (n === 0) {
		if (r < 0) return !1;
	} else n < 0 ? a = Math.max(a, r / n) : o = Math.min(o, r / n);
	return a <= o;
}
var wi = class e {
	cells = /* @__PURE__ */ new Map();
	static SIZE = 48;
	*keys(t) {
		let n = (t) => Math.max(-500, Math.min(500, Math.floor(t / e.SIZE)));
		for (let e = n(t[0]); e <= n(t[2]); e += 1) for (let r = n(t[1]); r <= n(t[3]); r += 1) yield e * 1024 + r;
	}
	add(e, t) {
		for (let n of this.keys(e)) {
			let r = this.cells.get(n);
			r ? r.push({
				box: e,
				item: t
			}) : this.cells.set(n, [{
				box: e,
				item: t
			}]);
		}
	}
	touching(e) {
		let t = /* @__PURE__ */ new Set();
		for (let n of this.keys(e)) for (let r of this.cells.get(n) ?? []) Si(r.box, e) && t.add(r.item);
		return t;
	}
};
function Ti(e, t, n, r) {
	let i = n * Math.PI / 6, [a, o] = [Math.cos(i), Math.sin(i)], s = e.radius + t, [c, l] = [e.x + a * s, e.y + o * s], u = c;
	a < -.1 ? u = c - e.width : a <= .1 && (u = Math.max(r[0], Math.min(c - e.width / 2, r[2] - e.width)));
	let d = l - 13 / 2 + o * 13 / 2;
	o > .9 ? d = l : o < -.9 && (d = l - 13);
	let f = [
		u,
		d,
		u + e.width,
		d + 13
	], p = e.radius + 1;
	return {
		box: f,
		leader: t > 12 ? [
			e.x + a * p,
			e.y + o * p,
			Math.max(f[0], Math.min(c, f[2])),
			Math.max(f[1], Math.min(l, f[3]))
		] : null
	};
}
function Ei(e, t, n, r = Infinity) {
	let i = new wi();
	t.marks.forEach(({ x: e, y: t, radius: n }, r) => i.add([
		e - n,
		t - n,
		e + n,
		t + n
	], r));
	let a = [], o = (e, r) => {
		if (e[0] < n[0] || e[1] < n[1] || e[2] > n[2] || e[3] > n[3]) return !1;
		let i = [
			e[0] - yi,
			e[1] - yi,
			e[2] + yi,
			e[3] + yi
		], o = (e) => Si(e, i) || r !== null && Ci(r, e);
		return !t.texts.some(o) && !a.some((t) => o(t.box) || t.leader !== null && Ci(t.leader, e));
	};
	for (let s of e) {
		if (a.length >= r) break;
		let e = null;
		for (let [r, a] of bi.entries()) {
			if (e && e.cost <= r) break;
			for (let [c, l] of xi.entries()) {
				let { box: u, leader: d } = Ti(s, a, l, n), f = r + c * .08;
				if (e && f >= e.cost || !o(u, d)) continue;
				let p = i.touching(u).size;
				p > t.mayCover || (f += p * .8, f += t.lines.filter((e) => Ci(e, u)).length * 2.2, (!e || f < e.cost) && (e = {
					cost: f,
					box: u,
					leader: d
				}));
			}
		}
		e && a.push({
			index: s.index,
			text: s.text,
			box: e.box,
			leader: e.leader
		});
	}
	return a;
}
// src/kit/names.ts
var Di = "…", Oi = [
	"elementwise_kernel",
	"reduce_kernel",
	"multi_tensor_apply_kernel"
];
function ki(e, t) {
	return e.length <= t ? e : t < 1 ? "" : e.slice(0, t - 1) + Di;
}
function Ai(e, t, n, r) {
	if (e.length <= t) return e;
	if (t < 1) return "";
	let i = Math.floor((t - 1) * n / (n + r)), a = t - 1 - i;
	return e.slice(0, i) + Di + (a ? e.slice(-a) : "");
}
function ji(e) {
	return e.startsWith("<") || e.includes(".py(") ? !1 : e.startsWith("void ") || e.includes("::") || /^[^(]*\w\(.*\)$/s.test(e);
}
function Mi(e, t, n, r) {
	let i = 0;
	for (let a = t; a < e.length; a++) if (e[a] === n) i += 1;
	else if (e[a] === r && --i === 0) return a + 1;
	return e.length;
}
function Ni(e) {
	let t = e.replace(/^void /, "").replace(/(\.kd| \[clone \.kd\])$/, ""), n = "";
	for (let e = 0; e < t.length;) {
		let r = t[e] ?? "";
		r === "(" && /[\p{L}\p{N}_>)]$/u.test(n.slice(-2)) ? e = Mi(t, e, "(", ")") : r === "{" ? e = Mi(t, e, "{", "}") : (n += r, e += 1);
	}
	for (let e of [
		"::operator const",
		"::operator",
		" const::"
	]) n = n.replaceAll(e, "::");
	return n.replace(/(::){2,}/g, "::").replaceAll("::,", ",").replaceAll("::>", ">").replaceAll("::)", ")").replaceAll(" >", ">").replace(/:+$/, "").trim();
}
function Pi(e, t) {
	let n = e.indexOf(t);
	if (n < 0) return e;
	let r = n + t.length, i = Mi(e, r - 1, "<", ">") - 1;
	return e[i] === ">" ? e.slice(0, n) + e.slice(r, i) + e.slice(i + 1) : e;
}
function Fi(e) {
	let t = e.replace(/^void /, "").replaceAll("(anonymous namespace)::", "").replace(/[\p{L}\p{N}_]*::/gu, "").replaceAll(" >", ">");
	for (let e of ["gpu_kernel_impl_nocast<", "gpu_kernel_impl<"]) t = Pi(t, e);
	return t.replace(/, [aA]rray<char\*, [1-9](ul)?>/g, "");
}
function Ii(e, t, n) {
	if (!Oi.some((t) => e.includes(t)) && !e.startsWith("Kernel")) {
		let r = Ai(e, n, 1, 2), i = n - r.length;
		return t.length <= i ? r + t : i < 5 ? i ? r + Di : r : `${r}${ki(t, i - 1)}>`;
	}
	let r = `<${t.slice(1).replace(/^[\d, ]+/, "")}`, i = ki(e, n - Math.min(r.length, Math.floor(n * 3 / 4)));
	return i + Ai(r, n - i.length, 3, 2);
}
function Li(e, t) {
	if (e.length <= t) return e;
	if (!ji(e)) {
		let n = e.startsWith("Cijk_") ? /_MT[^_]*/.exec(e)?.[0] : void 0;
		return n && t > n.length ? ki(e, t - n.length - 1) + n + Di : Ai(e, t, 1, 2);
	}
	let n = Ni(e);
	if (n.length <= t) return n;
	let r = Fi(n);
	if (r.length <= t) return r;
	let i = r.indexOf("<");
	return i > 0 ? Ii(r.slice(0, i), r.slice(i), t) : Ai(r, t, 1, 2);
}
// src/views/roofline/scale.ts
function Ri([e, t], n, r) {
	let i = n / (t - e), a = Math.max(1, Math.ceil(r / i)), o = [];
	for (let n = Math.floor(e); n <= Math.ceil(t); n += 1) for (let s = 1; s < 10; s += 1) {
		let c = n + Math.log10(s);
		if (c < e || c > t) continue;
		let l = (s === 2 || s === 5) && a === 1 && i * .3 >= r, u = s === 1 ? n % a === 0 : l;
		(u || s === 1 || i >= 24) && o.push({
			log: c,
			value: s * 10 ** n,
			named: u
		});
	}
	return o;
}
function zi(e, t = .22, n = .22, r = 1.1) {
	let i = Infinity, a = -Infinity;
	for (let t of e) {
		if (t == null || !(t > 0) || t === Infinity) continue;
		let e = Math.log10(t);
		e < i && (i = e), e > a && (a = e);
	}
	i > a && ([i, a] = [0, 0]);
	let o = Math.max(0, r - (a - i)) / 2;
	return [i - t - o, a + n + o];
}
function Bi([e, t], n, r) {
	let i = e + (t - e) * r;
	return [i - (i - e) * n, i + (t - i) * n];
}
function Vi([e, t], n, r) {
	let i = (n) => e + (t - e) * n;
	return [i(Math.min(n, r)), i(Math.max(n, r))];
}
function Hi([e, t]) {
	return Number.isFinite(e) && Number.isFinite(t) && t - e >= .05 && t - e <= 40;
}
// src/views/roofline/scene.ts
function Ui(e) {
	let t = e.slopes.find((e) => e.main), n = t ? e.plateaus.map((e) => e.rate / t.rate) : [], r = e.spots.filter((e) => !e.strip), i = e.spots.filter((e) => e.strip === "copies");
	return {
		x: zi([
			...r.map((e) => e.x),
			...e.gaps ? r.map((e) => e.ideal) : [],
			...n,
			...n.map((e) => e * 6)
		]),
		y: zi([...e.spots.filter((e) => e.strip !== "copies").map((e) => e.y), ...e.plateaus.map((e) => e.rate)], .22, .3),
		band: i.length ? zi([...i.map((e) => e.y), t?.rate]) : null,
		still: e.spots.some((e) => e.strip === "still")
	};
}
var Wi = (e) => e.length * 5.9, Gi = {
	from: 54,
	width: 50
};
function Ki(e, t, n) {
	return {
		width: t,
		height: n,
		left: 58 + (e.band ? 112 : 0),
		right: t - (e.still ? 62 : 12),
		top: 10,
		bottom: n - 42
	};
}
var qi = class {
	spec;
	window;
	whole;
	frame;
	measure;
	lines = [];
	texts = [];
	taken = [];
	roofs = [];
	constructor(e, t, n, r, i) {
		this.spec = e, this.window = t, this.whole = n, this.frame = r, this.measure = i;
	}
	px(e) {
		let { left: t, right: n } = this.frame, [r, i] = this.window.x;
		return t + (Math.log10(e) - r) / (i - r) * (n - t);
	}
	py(e, [t, n] = this.window.y) {
		let { top: r, bottom: i } = this.frame;
		return i - (Math.log10(e) - t) / (n - t) * (i - r);
	}
	line(e, t, n = !1, r) {
		this.lines.push({
			class: e,
			d: t,
			clipped: n,
			colour: r
		});
	}
	text(e, t, n, r, i, a) {
		this.texts.push({
			class: e,
			x: t,
			y: n,
			text: r,
			anchor: i,
			...a === void 0 ? {} : { angle: a }
		});
	}
	write(e, t, n, r, i = "halo") {
		let { frame: a } = this, o = this.measure(e), s = r === "end" ? t - o : t, c = [
			s,
			n - 10,
			s + o,
			n + 3
		];
		return !(c[0] >= a.left && c[2] <= a.right && c[1] >= a.top && c[3] <= a.bottom) || this.taken.some((e) => Si(e, c)) ? !1 : (this.taken.push(c), this.text(i, t, n, e, r), !0);
	}
	axes() {
		let { spec: e, frame: t, window: n } = this, { left: r, right: i, top: a, bottom: o } = t, s = Ri(n.x, i - r, 52), c = Ri(n.y, o - a, 28), l = (e) => `M${this.px(e.value).toFixed(1)} ${a}V${o}`, u = (e) => `M${r} ${this.py(e.value).toFixed(1)}H${i}`;
		for (let e of [!1, !0]) {
			let t = (t) => t.named === e;
			this.line(e ? "grid" : "minor", [...s.filter(t).map(l), ...c.filter(t).map(u)].join("") || "M0 0");
		}
		for (let t of s) t.named && this.text("dim", this.px(t.value), o + 15, e.xText(t.value), "middle");
		for (let t of c) t.named && this.text("dim", r - 6, this.py(t.value) + 4, e.yText(t.value), "end");
		this.text("axis", (r + i) / 2, o + 33, e.xName, "middle"), this.text("axis", r - 46, (a + o) / 2, e.yName, "middle", -90), this.strips();
	}
	strips() {
		let { spec: e, frame: t, whole: n } = this, { right: r, top: i, bottom: a } = t;
		if (n.band) {
			let { from: t, width: r } = Gi;
			this.line("zone", `M${t} ${i}h${r}V${a}h${-r}z`);
			for (let o of Ri(n.band, a - i, 28)) {
				if (!o.named) continue;
				let i = this.py(o.value, n.band);
				this.line("grid", `M${t} ${i.toFixed(1)}h${r}`), this.text("dim", t - 5, i + 4, e.yText(o.value), "end");
			}
			let o = e.slopes.find((e) => e.main);
			o && this.line("solid", `M${t} ${this.py(o.rate, n.band).toFixed(1)}h${r}`), this.text("dim", t + r / 2, a + 15, "no arithmetic", "middle"), this.text("axis", t + r / 2, a + 33, "B/s", "middle");
		}
		n.still && (this.line("zone", `M${r + 8} ${i}h46V${a}h-46z`), this.text("dim", r + 31, a + 15, "∞", "middle"), this.text("axis", r + 31, a + 33, "no bytes", "middle"));
	}
	zones() {
		let { spec: e, frame: t } = this, n = e.slopes.find((e) => e.main && !e.measured), r = Math.max(0, ...e.plateaus.filter((e) => !e.measured).map((e) => e.rate));
		if (!n || !r) return;
		let i = this.px(r / n.rate), a = this.py(r), o = 10 ** this.window.x[0];
		this.line("zone-memory", `M${t.left} ${t.bottom}L${t.left} ${this.py(o * n.rate)}L${i} ${a}V${t.bottom}z`, !0), this.line("zone-compute", `M${i} ${a}H${Math.max(i, t.right)}V${t.bottom}H${i}z`, !0);
	}
	plateaus() {
		let { spec: e, frame: t } = this, { left: n, right: r } = t, i = e.slopes.find((e) => e.main), a = Math.max(0, ...e.slopes.map((e) => e.rate));
		for (let o of [...e.plateaus].sort((e, t) => t.rate - e.rate)) {
			let s = this.py(o.rate), c = i ? this.px(o.rate / i.rate) : n;
			i && a > i.rate && this.line("dots", `M${this.px(o.rate / a).toFixed(1)} ${s.toFixed(1)}H${c.toFixed(1)}`, !0);
			let l = Math.max(n, c);
			l >= r || (this.line(o.measured ? "measured" : "solid", `M${c.toFixed(1)} ${s.toFixed(1)}H${r}`, !0, o.colour), this.roofs.push([
				l,
				s,
				r,
				s
			]), this.write(o.name, r - 6, s - 5, "end") || this.write(o.name, r - 6, s + 14, "end"), i && !o.measured && s > t.top && s < t.bottom && c > n && (this.line("knot", `M${c - 3.6} ${s}l3.6 -3.6l3.6 3.6l-3.6 3.6z`), this.write(`${e.xText(o.rate / i.rate)} ${e.knee}`, c - 8, s - 6, "end", "halo quiet")));
		}
	}
	slopes() {
		let { spec: e, frame: t, window: n } = this, r = Math.max(0, ...e.plateaus.map((e) => e.rate)) || Infinity, i = (t.bottom - t.top) / (n.y[1] - n.y[0]), a = (t.right - t.left) / (n.x[1] - n.x[0]), o = Math.atan2(-i, a) * 180 / Math.PI;
		for (let t of e.slopes) {
			let e = Math.log10(t.rate), i = Math.max(n.x[0], n.y[0] - e), a = Math.min(n.x[1], Math.log10(r) - e, n.y[1] - e);
			if (i >= a) continue;
			let s = (t) => [this.px(10 ** t), this.py(10 ** (t + e))], [c, l] = [s(i), s(a)], u = t.measured ? "measured" : t.main ? "solid" : "dash";
			this.line(u, `M${c.map((e) => e.toFixed(1)).join(" ")}L${l.map((e) => e.toFixed(1)).join(" ")}`, !0), this.roofs.push([...c, ...l]), this.along(t.name, c, l, o);
		}
	}
	along(e, t, n, r) {
		let i = Math.hypot(n[0] - t[0], n[1] - t[1]), a = this.measure(e);
		if (i < a + 24) return;
		let o = (e) => [t[0] + (n[0] - t[0]) * e, t[1] + (n[1] - t[1]) * e];
		for (let t of [
			.12,
			.25,
			.4,
			.04,
			.55
		]) {
			if (t + a / i > 1) continue;
			let n = Array.from({ length: 9 }, (e, n) => {
				let [r, s] = o(t + n / 8 * a / i);
				return [
					r - 10,
					s - 18,
					r + 6,
					s
				];
			});
			if (n.some((e) => this.taken.some((t) => Si(t, e)))) continue;
			this.taken.push(...n);
			let [s, c] = o(t), l = r * Math.PI / 180;
			this.text("halo", s + 5 * Math.sin(l), c - 5 * Math.cos(l), e, "start", r);
			return;
		}
	}
	positions() {
		let { frame: e, whole: t } = this;
		return this.spec.spots.map((n, r) => {
			if (n.hidden) return null;
			let i = (r * .618034 % 1 - .5) * 28;
			if (n.strip === "copies") return t.band ? [Gi.from + Gi.width / 2 + i, this.py(n.y, t.band)] : null;
			let a = this.py(n.y), o = n.strip === "still" ? e.right + 31 + i : n.x === null ? NaN : this.px(n.x);
			return a >= e.top && a <= e.bottom && (n.strip !== void 0 || o >= e.left && o <= e.right) ? [o, a] : null;
		});
	}
	gaps(e, t) {
		if (!this.spec.gaps) return;
		let n = this.spec.spots.flatMap((t, n) => e[n] && t.x !== null && t.ideal !== null && Math.abs(t.ideal / t.x - 1) > .05 ? [n] : []);
		for (let r of n.length > 60 ? n.filter((e) => t.has(e)) : n) {
			let t = this.spec.spots[r], n = e[r];
			if (!t?.ideal || !n) continue;
			let [i, a] = n, o = this.px(t.ideal), s = o > i ? 1 : -1;
			this.taken.push([
				Math.min(i, o),
				a - 4,
				Math.max(i, o),
				a + 4
			]);
			let c = Math.abs(o - i) > t.radius + 8 ? i + s * t.radius : i;
			this.line("waste", `M${c.toFixed(1)} ${a.toFixed(1)}H${o.toFixed(1)}`, !0), this.line("waste-head", `M${(o - s * 6).toFixed(1)} ${(a - 3.5).toFixed(1)}L${o.toFixed(1)} ${a.toFixed(1)}L${(o - s * 6).toFixed(1)} ${(a + 3.5).toFixed(1)}`, !0);
		}
	}
	names(e, t) {
		let { spec: n, frame: r } = this, i = n.spots.flatMap((t, n) => e[n] && !t.strip && !t.dim ? [n] : []), a = (e) => t.has(e) ? Infinity : n.spots[e]?.weight ?? 0;
		i.sort((e, t) => a(t) - a(e) || e - t);
		let o = i.length > 200, s = /* @__PURE__ */ new Set(), c = [];
		for (let t of i) {
			let r = n.spots[t], i = e[t];
			if (!r || !i) continue;
			let a = Li(r.name, 26), o = `${a} ${Math.round(i[0] / 60)} ${Math.round(i[1] / 40)}`;
			if (!s.has(o) && (s.add(o), c.push({
				index: t,
				x: i[0],
				y: i[1],
				radius: r.radius,
				text: a,
				width: this.measure(a)
			}), c.length >= 60)) break;
		}
		let l = n.spots.flatMap((t, n) => {
			let r = e[n];
			return r ? [{
				x: r[0],
				y: r[1],
				radius: t.radius
			}] : [];
		}), u = [
			r.left + 2,
			r.top + 2,
			r.right - 2,
			r.bottom - 2
		];
		return [Ei(c, {
			texts: this.taken,
			marks: l,
			lines: this.roofs,
			mayCover: o ? 3 : 0
		}, u, o ? 12 : 30), i.length];
	}
};
function Ji(e, t, n, r, i, a = /* @__PURE__ */ new Set(), o = Wi) {
	let s = Ki(n, r, i), c = new qi(e, t, n, s, o);
	c.zones(), c.axes(), c.plateaus(), c.slopes(), c.line("frame", `M${s.left} ${s.top}H${s.right}V${s.bottom}H${s.left}z`);
	let l = c.positions();
	c.gaps(l, a);
	let [u, d] = c.names(l, a);
	return {
		frame: s,
		lines: c.lines,
		texts: c.texts,
		at: l,
		names: u,
		nameable: d
	};
}
function Yi(e, t, n, r, i = 16) {
	let a = -1, o = i;
	return e.at.forEach((e, i) => {
		if (!e) return;
		let s = Math.max(0, Math.hypot(e[0] - n, e[1] - r) - (t.spots[i]?.radius ?? 0) * .7);
		s < o && ([o, a] = [s, i]);
	}), a;
}
function Xi(e, t, n, r, i) {
	let a = e.at[n], { frame: o } = e;
	if (!a) return Yi(e, t, r > 0 || i > 0 ? o.left : o.right, i > 0 ? o.top : o.bottom, Infinity);
	let s = n, c = Infinity;
	return e.at.forEach((e, t) => {
		if (!e || t === n) return;
		let [o, l] = [e[0] - a[0], e[1] - a[1]], u = o * r + l * i, d = Math.abs(o * i) + Math.abs(l * r);
		u > 0 && u + 2 * d < c && ([c, s] = [u + 2 * d, t]);
	}), s;
}
// src/views/roofline/chart.tsx
var Zi = 400;
function Qi(e) {
	let [t, n, r, i] = e.split(",").map(Number);
	if (t === void 0 || n === void 0 || r === void 0 || i === void 0) return null;
	let a = {
		x: [t, n],
		y: [r, i]
	};
	return Hi(a.x) && Hi(a.y) ? a : null;
}
function $i(e) {
	return e ? [...e.x, ...e.y].map((e) => e.toFixed(3)).join(",") : "";
}
var ea = /* @__PURE__ */ new Map(), ta;
function na(e) {
	let t = ea.get(e);
	return t === void 0 && (ta === void 0 && (ta = document.createElement("canvas").getContext("2d"), ta && (ta.font = `10.5px ${getComputedStyle(document.body).fontFamily}`)), t = ta ? ta.measureText(e).width + 1 : e.length * 6, ea.size > 5e3 && ea.clear(), ea.set(e, t)), t;
}
function ra(e) {
	return e.startsWith("#") ? e : `var(--${e})`;
}
function ia(e) {
	let t = `${e}.window`, n = G(t), [r, i] = F(() => Qi(n)), a = R([]), o = R(n);
	return L(() => {
		n !== o.current && (o.current = n, i(Qi(n)));
	}, [n]), L(() => {
		let e = setTimeout(() => {
			let e = $i(r);
			e !== o.current && (o.current = e, K(t, e || null));
		}, 250);
		return () => clearTimeout(e);
	}, [r]), {
		window: r,
		past: a,
		show(e, t) {
			(!e || Hi(e.x) && Hi(e.y)) && (t && (a.current.push(r), a.current.length > 100 && a.current.shift()), i(e));
		},
		undo() {
			let e = a.current.pop();
			e !== void 0 && i(e);
		}
	};
}
var aa = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, -1],
	ArrowDown: [0, 1]
};
function oa({ id: e, spec: t, chosen: n, height: r, drawing: i, choose: a, hover: o }) {
	let s = R(null), c = R(null), l = R(null), [u, d] = F(0), f = Math.round(Math.max(300, Math.min(r, u * .95))), [p, m] = F(-1), [h, g] = F(null), [_, v] = F(!1), [y, b] = F(!1), S = R(null), C = R(0), w = R(0), T = z(() => Ui(t), [t]), { window: E, past: D, show: O, undo: ee } = ia(e), te = E ?? T, k = z(() => u > 0 ? Ji(t, te, T, u, f, n, na) : null, [
		t,
		te,
		T,
		u,
		f,
		n
	]), ne = t.spots.length > Zi;
	Te(() => {
		let e = s.current;
		if (!e) return;
		let t = () => d(e.clientWidth);
		t();
		let n = new ResizeObserver(() => requestAnimationFrame(t));
		return n.observe(e), () => n.disconnect();
	}, []);
	let re = Nn.value;
	Te(() => {
		ne && k && l.current && ua(l.current, k, t.spots);
	}, [
		ne,
		k,
		t,
		re
	]), L(() => {
		i?.(() => c.current && k ? da(c.current, ne ? k : null, t) : null);
	});
	let ie = (e) => {
		let t = c.current?.getBoundingClientRect();
		return [e.clientX - (t?.left ?? 0), e.clientY - (t?.top ?? 0)];
	}, ae = ([e, t]) => {
		if (!k) return [0, 0];
		let { left: n, right: r, top: i, bottom: a } = k.frame;
		return [(e - n) / (r - n), (a - t) / (a - i)];
	}, oe = (e, t = [.5, .5], n = !0) => O({
		x: Bi(te.x, e, t[0]),
		y: Bi(te.y, e, t[1])
	}, n), se = (e) => {
		cancelAnimationFrame(w.current), w.current = requestAnimationFrame(e);
	}, A = (e, t) => {
		(e !== p || e >= 0) && o(e, t), m(e);
	}, j = (e) => {
		if (e.button !== 0 || !k) return;
		let [t, n] = ie(e);
		S.current = {
			x: t,
			y: n,
			from: te,
			moved: !1,
			boxed: e.shiftKey !== _
		}, c.current?.setPointerCapture(e.pointerId);
	}, M = (e) => {
		if (!k) return;
		let [n, r] = ie(e), i = S.current;
		if (!i) {
			A(Yi(k, t, n, r), e);
			return;
		}
		if (!i.moved) {
			if (Math.hypot(n - i.x, r - i.y) < 4) return;
			i.moved = !0, D.current.push(E), A(-1, null);
		}
		if (i.boxed) {
			g([
				Math.min(n, i.x),
				Math.min(r, i.y),
				Math.max(n, i.x),
				Math.max(r, i.y)
			]);
			return;
		}
		let { left: a, right: o, top: s, bottom: c } = k.frame, l = (n - i.x) / (o - a) * (i.from.x[1] - i.from.x[0]), u = (r - i.y) / (c - s) * (i.from.y[1] - i.from.y[0]), d = ([e, t], n) => [e + n, t + n];
		se(() => O({
			x: d(i.from.x, -l),
			y: d(i.from.y, u)
		}, !1));
	}, ce = (e) => {
		let n = S.current;
		if (S.current = null, g(null), !n || !k) return;
		let r = ie(e);
		if (n.moved && n.boxed) {
			let [e, t] = [ae([n.x, n.y]), ae(r)], i = {
				x: Vi(n.from.x, e[0], t[0]),
				y: Vi(n.from.y, e[1], t[1])
			};
			Hi(i.x) && Hi(i.y) ? O(i, !1) : D.current.pop();
		} else !n.moved && e.type === "pointerup" && a(Yi(k, t, ...r), e.ctrlKey || e.metaKey || e.shiftKey);
	}, le = (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || !k) return;
		let r = aa[e.key];
		if (r) {
			let e = Xi(k, t, [...n][0] ?? -1, ...r);
			e >= 0 && a(e, !1);
		} else if (e.key === "+" || e.key === "=") oe(.7);
		else if (e.key === "-") oe(1 / .7);
		else if (e.key === "0") O(null, !0);
		else if (e.key === "u") ee();
		else if (e.key === "b") v(!_);
		else return;
		e.preventDefault(), e.stopPropagation();
	}, N = R(() => {});
	N.current = (e) => {
		if (!e.ctrlKey && !e.metaKey && document.activeElement !== c.current) {
			b(!0);
			return;
		}
		e.preventDefault(), b(!1);
		let t = e.timeStamp - C.current > 400;
		C.current = e.timeStamp, oe(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), ae(ie(e)), t);
	}, L(() => {
		let e = s.current, t = (e) => N.current(e);
		return e?.addEventListener("wheel", t, { passive: !1 }), () => e?.removeEventListener("wheel", t);
	}, []);
	let ue = `${e}-clip`, P = [...n].slice(0, 300);
	return /* @__PURE__ */ q("div", {
		class: "plot",
		ref: s,
		style: { height: `${f}px` },
		children: [
			ne ? /* @__PURE__ */ q("canvas", {
				ref: l,
				"aria-hidden": "true"
			}) : null,
			/* @__PURE__ */ q("svg", {
				ref: c,
				width: u,
				height: f,
				viewBox: `0 0 ${u} ${f}`,
				tabIndex: 0,
				role: "application",
				"aria-label": t.label,
				class: _ ? "boxing" : "",
				onPointerDown: j,
				onPointerMove: M,
				onPointerUp: ce,
				onPointerCancel: ce,
				onPointerLeave: () => S.current ? void 0 : (A(-1, null), b(!1)),
				onDblClick: () => O(null, !0),
				onKeyDown: le,
				onBlur: () => b(!1),
				children: k ? /* @__PURE__ */ q(x, { children: [
					/* @__PURE__ */ q("clipPath", {
						id: ue,
						children: /* @__PURE__ */ q("rect", {
							x: k.frame.left,
							y: k.frame.top,
							width: Math.max(1, k.frame.right - k.frame.left),
							height: k.frame.bottom - k.frame.top
						})
					}),
					/* @__PURE__ */ q(ca, {
						lines: k.lines.filter((e) => !e.class.startsWith("waste")),
						clip: ue
					}),
					ne ? null : /* @__PURE__ */ q(la, {
						drawn: k,
						spots: t.spots
					}),
					/* @__PURE__ */ q(ca, {
						lines: k.lines.filter((e) => e.class.startsWith("waste")),
						clip: ue
					}),
					k.texts.map((e, t) => /* @__PURE__ */ q("text", {
						class: e.class,
						x: e.x,
						y: e.y,
						"text-anchor": e.anchor,
						transform: e.angle === void 0 ? void 0 : `rotate(${e.angle.toFixed(2)} ${e.x.toFixed(1)} ${e.y.toFixed(1)})`,
						children: e.text
					}, t)),
					k.names.map((e) => /* @__PURE__ */ q("g", {
						class: "name",
						children: [e.leader ? /* @__PURE__ */ q("path", {
							class: "leader",
							d: `M${e.leader[0].toFixed(1)} ${e.leader[1].toFixed(1)}L${e.leader[2].toFixed(1)} ${e.leader[3].toFixed(1)}`
						}) : null, /* @__PURE__ */ q("text", {
							class: "halo",
							x: e.box[0],
							y: e.box[3] - 3,
							children: e.text
						})]
					}, e.index)),
					[...P, ...p >= 0 && !n.has(p) ? [p] : []].map((e) => {
						let r = t.spots[e], i = k.at[e];
						return r && i ? /* @__PURE__ */ q("circle", {
							class: n.has(e) ? "outline" : "outline fine",
							cx: i[0],
							cy: i[1],
							r: r.radius + 4
						}, e) : null;
					}),
					h ? /* @__PURE__ */ q("rect", {
						class: "box",
						x: h[0],
						y: h[1],
						width: h[2] - h[0],
						height: h[3] - h[1]
					}) : null
				] }) : null
			}),
			/* @__PURE__ */ q("div", {
				class: "plot-tools",
				role: "toolbar",
				"aria-label": "Zoom",
				children: [
					/* @__PURE__ */ q("button", {
						type: "button",
						title: "Zoom in (+)",
						"aria-label": "Zoom in",
						onClick: () => oe(.7),
						children: "+"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						title: "Zoom out (-)",
						"aria-label": "Zoom out",
						onClick: () => oe(1 / .7),
						children: "−"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						title: "Drag draws a box to zoom into (b, or Shift while dragging)",
						"aria-label": "Drag a box",
						"aria-pressed": _,
						onClick: () => v(!_),
						children: "⬚"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						title: "Undo the last zoom (u)",
						"aria-label": "Undo zoom",
						disabled: D.current.length === 0,
						onClick: ee,
						children: "↩"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						title: "Show everything (0)",
						"aria-label": "Show all",
						disabled: E === null,
						onClick: () => O(null, !0),
						children: "All"
					})
				]
			}),
			y ? /* @__PURE__ */ q("p", {
				class: "plot-hint",
				children: "Ctrl + wheel zooms, or click the chart first"
			}) : null
		]
	});
}
function sa(e) {
	return e.map((e, t) => t).sort((t, n) => (e[n]?.radius ?? 0) - (e[t]?.radius ?? 0));
}
function ca({ lines: e, clip: t }) {
	return /* @__PURE__ */ q(x, { children: e.map((e, n) => /* @__PURE__ */ q("path", {
		class: e.class,
		d: e.d,
		"clip-path": e.clipped ? `url(#${t})` : void 0,
		style: e.colour ? { stroke: ra(e.colour) } : void 0
	}, n)) });
}
function la({ drawn: e, spots: t }) {
	let n = z(() => sa(t), [t]);
	return /* @__PURE__ */ q("g", {
		class: "marks",
		style: { opacity: t.length > 60 ? .85 : 1 },
		children: n.map((n) => {
			let r = t[n], i = e.at[n];
			return !r || !i ? null : /* @__PURE__ */ q("g", {
				"data-spot": n,
				class: r.dim ? "dimmed" : "",
				transform: `translate(${i[0].toFixed(1)} ${i[1].toFixed(1)})`,
				style: { "--mark": ra(r.colour) },
				children: [/* @__PURE__ */ q("path", {
					class: `mark ${r.fill}${r.dashed ? " dashed" : ""}`,
					d: pi(r.symbol, r.radius)
				}), r.ring ? /* @__PURE__ */ q("circle", {
					class: "ring",
					r: r.radius + 3
				}) : null]
			}, n);
		})
	});
}
function ua(e, t, n) {
	let { width: r, height: i } = t.frame, a = Math.min(2, globalThis.devicePixelRatio || 1);
	(e.width !== Math.round(r * a) || e.height !== Math.round(i * a)) && (e.width = Math.round(r * a), e.height = Math.round(i * a), e.style.width = `${r}px`, e.style.height = `${i}px`);
	let o = e.getContext("2d");
	if (!o) return;
	o.setTransform(a, 0, 0, a, 0, 0), o.clearRect(0, 0, r, i);
	let s = /* @__PURE__ */ new Map(), c = (e) => {
		let t = s.get(e);
		return t === void 0 && (t = e.startsWith("#") ? e : Rn(e), s.set(e, t)), t;
	}, [l, u] = [c("surface"), c("critical")];
	for (let e of sa(n)) {
		let r = n[e], i = t.at[e];
		r && i && (o.globalAlpha = r.dim ? .12 : .7, mi(o, i[0], i[1], r, c(r.colour), l), r.ring && !r.dim && (o.setLineDash([]), o.strokeStyle = u, o.lineWidth = 1.4, o.beginPath(), o.arc(i[0], i[1], r.radius + 3, 0, 2 * Math.PI), o.stroke()));
	}
}
function da(e, t, n) {
	if (!t) return e;
	let r = (t, n) => {
		let r = document.createElementNS(e.namespaceURI, t);
		for (let [e, t] of Object.entries(n)) r.setAttribute(e, t);
		return r;
	}, i = r("g", { class: "marks" });
	for (let e of sa(n.spots)) {
		let a = n.spots[e], o = t.at[e];
		if (!a || !o) continue;
		let s = r("path", {
			class: `mark ${a.fill}`,
			d: pi(a.symbol, a.radius),
			transform: `translate(${o[0].toFixed(1)} ${o[1].toFixed(1)})`
		});
		s.style.setProperty("--mark", ra(a.colour)), s.style.opacity = a.dim ? "0.12" : "0.7", i.append(s);
	}
	return e.insertBefore(i, e.querySelector("text")), setTimeout(() => i.remove(), 0), e;
}
// src/views/bench/precision.ts
var fa = {
	fp64: "#a16207",
	fp32: "#ef4444",
	tf32: "#dc2626",
	fp16: "#f97316",
	bf16: "#fb923c",
	fp8_e4m3: "#22c55e",
	fp8_e5m2: "#16a34a",
	mxfp8_e4m3: "#4ade80",
	mxfp8_e5m2: "#86efac",
	mxfp6_e3m2: "#0ea5e9",
	mxfp6_e2m3: "#38bdf8",
	mxfp4: "#8b5cf6",
	mxint8: "#64748b",
	nvfp4: "#a855f7",
	nvfp4_kv: "#c084fc",
	int8: "#06b6d4",
	int4: "#3b82f6",
	nf4: "#ec4899",
	int2: "#6366f1"
};
function pa(e) {
	let t = e.toLowerCase().split(/[/@]/)[0] ?? "";
	return t === "fp8" ? "fp8_e4m3" : t === "mxfp8" ? "mxfp8_e4m3" : t === "mxfp6" ? "mxfp6_e3m2" : t;
}
function ma(e) {
	return Object.hasOwn(fa, pa(e)) ? fa[pa(e)] ?? "c8" : "c8";
}
var ha = {
	fp64: 64,
	fp32: 32,
	tf32: 32,
	fp16: 16,
	bf16: 16,
	fp8_e4m3: 8,
	fp8_e5m2: 8,
	int8: 8,
	int4: 4,
	int2: 2,
	mxfp8_e4m3: 8.25,
	mxfp8_e5m2: 8.25,
	mxint8: 8.25,
	mxfp6_e3m2: 6.25,
	mxfp6_e2m3: 6.25,
	mxfp4: 4.25,
	nvfp4: 4.5,
	nvfp4_kv: 4.5,
	nf4: 4.5
};
function ga(e) {
	let t = pa(e);
	return Object.hasOwn(ha, t) ? ha[t] ?? null : null;
}
function _a(e, t, n, r) {
	let i = Math.max(2, r / 8);
	return {
		flops: 2 * e * t * n,
		bytes: (e * n + n * t) * r / 8 + e * t * i
	};
}
function va(e) {
	let { exponent_bits: t, mantissa_bits: n, largest: r } = e;
	if (e.element_bits > 8 || e.family === "lookup" || e.family === "plain") return [];
	if (t === 0) return Array.from({ length: Math.floor(r) + 1 }, (e, t) => t);
	let i = 2 ** (t - 1) - 1, a = [];
	for (let e = 0; e < 2 ** t; e += 1) for (let t = 0; t < 2 ** n; t += 1) {
		let o = t / 2 ** n, s = e === 0 ? o * 2 ** (1 - i) : (1 + o) * 2 ** (e - i);
		s <= r && a.push(s);
	}
	return a;
}
// src/views/bench/points.ts
function ya(e, t) {
	let n = e[t];
	return typeof n == "number" && Number.isFinite(n) ? n : null;
}
function ba(e, t) {
	let n = e[t];
	return typeof n == "string" ? n : "";
}
function xa(e, t) {
	let n = e.sections.find((e) => e.id === t)?.numbers.find((e) => e.id === "device")?.value;
	return typeof n == "string" ? n : "";
}
function Sa(e) {
	let t = xa(e, "predict");
	return Mt(e, "predict", "predictions").flatMap((e) => {
		let [n, r, i] = [
			ya(e, "intensity"),
			ya(e, "roof_gflops"),
			ya(e, "time_ns")
		];
		if (n === null || r === null || i === null || n <= 0 || r <= 0) return [];
		let a = ya(e, "bytes"), o = ya(e, "calls") ?? 1;
		return [{
			origin: "predicted",
			name: ba(e, "op"),
			precision: ba(e, "precision"),
			intensity: n,
			gflops: r,
			gbps: a === null ? null : a * o / i,
			time: i,
			boundBy: ba(e, "bound_by") || null,
			pct: null,
			interval: null,
			device: t,
			more: [["Class", ba(e, "class")]].filter(([, e]) => e)
		}];
	});
}
function Ca(e) {
	return Mt(e, "predict", "unsupported").map((e) => ({
		op: ba(e, "op"),
		precision: ba(e, "precision"),
		reason: ba(e, "reason")
	}));
}
function wa(e) {
	let t = xa(e, "bench");
	return Mt(e, "bench", "results").flatMap((e) => {
		let [n, r, i, a] = [
			ya(e, "flops"),
			ya(e, "bytes"),
			ya(e, "gflops"),
			ya(e, "time_ns")
		];
		return !n || !r || !i || !a ? [] : [{
			origin: "measured",
			name: ba(e, "name"),
			precision: ba(e, "precision"),
			intensity: n / r,
			gflops: i,
			gbps: ya(e, "gbps"),
			time: a,
			boundBy: ba(e, "bound_by") || null,
			pct: ya(e, "pct_of_roof"),
			interval: ya(e, "interval_pct"),
			device: t,
			more: [
				"state",
				"implementation",
				"backend",
				"threads",
				"clean",
				"samples"
			].flatMap((t) => {
				let n = e[t];
				return n == null ? [] : [[t, String(n)]];
			})
		}];
	});
}
function Ta(e) {
	return ma(e.precision);
}
function Ea(e) {
	let t = /\d+(?:x\d+)+/.exec(e)?.[0].split("x") ?? [e];
	return t.length === 2 ? ["1", ...t] : t;
}
function Da(e, t) {
	if (e.origin === "predicted") return;
	let [n, r] = [Ea(e.name).join("x"), pa(e.precision)];
	return t.find((e) => e.origin === "predicted" && pa(e.precision) === r && Ea(e.name).join("x") === n);
}
// src/views/bench/chart.tsx
var Oa = {
	predicted: "predicted",
	measured: "measured",
	imported: "imported"
};
function ka(e) {
	let t = [
		["", Oa[e.origin]],
		["Precision", e.precision || "not said"],
		["Time", V(e.time)],
		["Achieved", ar(e.gflops * 1e9, "FLOP/s")],
		["Intensity", `${or(e.intensity)} FLOP/B`]
	];
	return e.gbps !== null && t.push(["Bandwidth", ar(e.gbps * 1e9, "B/s")]), e.boundBy && t.push(["Bound by", e.boundBy]), e.pct !== null && t.push(["Of its roof", U(e.pct)]), e.interval !== null && t.push(["95 % interval", `±${U(e.interval)}`]), e.device && t.push(["On", e.device]), [...t, ...e.more.map(([e, t]) => [e, t])];
}
function Aa({ id: e, points: t, roofs: n, height: r = 430, look: i, drawing: a }) {
	let [o, s] = F(-1), c = z(() => new Set(o >= 0 ? [o] : []), [o]), l = R(t);
	return l.current !== t && (l.current = t, o >= t.length && s(-1)), /* @__PURE__ */ q(oa, {
		id: e,
		spec: z(() => {
			let e = dr(n, t.map((e) => e.precision), t.map((e) => e.boundBy));
			return {
				label: "Roofline of kernels. Arrow keys go from point to point, plus and minus zoom, u undoes, 0 shows all.",
				xName: "Intensity (FLOP/B)",
				yName: "Performance (FLOP/s)",
				knee: "FLOP/B",
				xText: or,
				yText: (e) => ir(e * 1e9),
				slopes: n.slopes,
				plateaus: ur(n, e.size ? e : new Set(n.peaks.keys())),
				gaps: !1,
				spots: t.map((e) => ({
					x: e.intensity,
					y: e.gflops,
					radius: e.origin === "measured" ? 6.5 : 5.5,
					symbol: e.origin === "imported" ? "diamond" : "circle",
					fill: "hollow",
					dashed: e.origin === "predicted",
					colour: Ta(e),
					name: `${e.precision || e.name}`,
					weight: (e.origin === "measured" ? 0xde0b6b3a7640000 : 0) + e.gflops,
					ring: !1,
					ideal: null,
					...i?.(e)
				}))
			};
		}, [
			t,
			n,
			i
		]),
		chosen: c,
		height: r,
		...a ? { drawing: a } : {},
		choose: (e) => s(e === o ? -1 : e),
		hover: (e, n) => {
			let r = t[e];
			r && n ? Yt(n, /* @__PURE__ */ q($t, {
				title: r.name,
				lines: ka(r)
			})) : Xt();
		}
	});
}
// src/views/bench/state.ts
var ja = B([]), Ma = B([]);
function Na(e) {
	return [
		e.origin,
		e.name,
		e.precision,
		e.device
	].join("\n");
}
function Pa(e) {
	let t = new Map(ja.value.map((e) => [Na(e), e]));
	for (let n of e) t.delete(Na(n)), t.set(Na(n), n);
	ja.value = [...t.values()];
}
// src/views/bench/kernel.tsx
var Fa = [
	[
		"decode",
		"Decode",
		1,
		4096,
		4096
	],
	[
		"ffn-up",
		"FFN up",
		1,
		4096,
		14336
	],
	[
		"prefill",
		"Prefill",
		2048,
		4096,
		4096
	]
], Ia = "nvidia-h100-sxm";
function La(e) {
	let [t, n] = F(null), r = R(() => {});
	return L(() => () => r.current(), []), {
		progress: t,
		async start(t) {
			let { job: i } = await e.ask("bench", t), a = [];
			n({
				job: i,
				state: "running",
				done: 0,
				total: 0,
				errors: a
			}), r.current(), r.current = e.listen(`jobs/${encodeURIComponent(i)}/events`, (e) => {
				let t = e.data;
				t.document && Pa(wa(t.document)), t.error && a.push(t.error), n({
					...t,
					job: i,
					errors: [...a]
				}), t.state !== "running" && r.current();
			});
		},
		async cancel() {
			t && await e.ask(`jobs/${encodeURIComponent(t.job)}`, void 0, "DELETE");
		}
	};
}
function Ra(e, t) {
	return e === "all" ? "all" : t.find((t) => t === e || t.startsWith(`${e}/`)) ?? e;
}
function za({ source: e, document: t }) {
	let n = hr(e).answer, r = gr(e).answer, i = oi(e), a = G("bench.device", Ia), o = _r(e, a), s = z(() => lr(t), [t]), c = e.live ? o : s, [l, u] = F(null), [d, f] = F(!1), { progress: p, start: m, cancel: h } = La(e), g = R(() => null);
	L(() => Pa(wa(t)), [t]);
	let _ = {
		m: Number(G("bench.m", "1")),
		n: Number(G("bench.n", "4096")),
		k: Number(G("bench.k", "4096"))
	}, v = G("bench.precision", "fp16"), y = n?.backends.filter((e) => e.available) ?? [], b = y.find((e) => e.name === G("bench.backend"))?.name ?? y[0]?.name, x = Object.values(_).every((e) => Number.isInteger(e) && e > 0), S = r?.filter((e) => e.arithmetic !== null).map((e) => e.name) ?? [
		"fp32",
		"fp16",
		"bf16",
		"fp8_e4m3",
		"int8"
	], C = async () => {
		u(null), f(!0);
		try {
			let { m: t, n: r, k: i } = _, o = t === 1 ? {
				op: "gemv",
				n: r,
				k: i,
				precision: v,
				device: a
			} : {
				op: "gemm",
				m: t,
				n: r,
				k: i,
				precision: v,
				device: a
			}, s = await e.ask("predict", o);
			if (Pa(Sa(s)), Ma.value = Ca(s), b && G("bench.measure") !== "no") {
				let e = {
					precision: Ra(v, n?.bench_precisions ?? []),
					backend: b
				};
				await m(t === 1 ? {
					kernel: "gemv",
					n: r,
					k: i,
					...e
				} : {
					kernel: "gemm",
					m: t,
					n: r,
					k: i,
					...e
				});
			}
		} catch (e) {
			u(e instanceof Error ? e.message : String(e));
		} finally {
			f(!1);
		}
	}, w = ja.value, T = p?.state === "running", E = new Set(w.filter((e) => e.origin === "measured").map((e) => e.device));
	return /* @__PURE__ */ q(X, {
		title: "Kernel spot check",
		exports: {
			name: "bench",
			svg: () => g.current(),
			json: () => w,
			command: Ba(_, v, a)
		},
		children: [
			/* @__PURE__ */ q("div", {
				class: "bench-work",
				children: [e.live ? /* @__PURE__ */ q("form", {
					class: "stack bench-form",
					onSubmit: (e) => {
						e.preventDefault(), C();
					},
					children: [
						/* @__PURE__ */ q("fieldset", { children: [
							/* @__PURE__ */ q("legend", { children: "Shape" }),
							/* @__PURE__ */ q("div", {
								class: "chips",
								children: Fa.map(([e, t, n, r, i]) => /* @__PURE__ */ q("button", {
									type: "button",
									class: "chip-button",
									title: `${n} x ${r} x ${i}`,
									"aria-pressed": _.m === n && _.n === r && _.k === i,
									onClick: () => (K("bench.m", String(n)), K("bench.n", String(r)), K("bench.k", String(i))),
									children: t
								}, e))
							}),
							/* @__PURE__ */ q("div", {
								class: "extents",
								children: [
									"m",
									"n",
									"k"
								].map((e) => /* @__PURE__ */ q("label", { children: [/* @__PURE__ */ q("span", {
									class: "quiet",
									children: e.toUpperCase()
								}), /* @__PURE__ */ q("input", {
									type: "number",
									min: "1",
									step: "1",
									required: !0,
									value: _[e] || "",
									"aria-label": e.toUpperCase(),
									onInput: (t) => K(`bench.${e}`, t.currentTarget.value)
								})] }, e))
							})
						] }),
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Precision"
							}), /* @__PURE__ */ q("select", {
								value: v,
								"aria-label": "Precision",
								onChange: (e) => K("bench.precision", e.currentTarget.value),
								children: [/* @__PURE__ */ q("option", {
									value: "all",
									children: "Run all precisions"
								}), S.map((e) => /* @__PURE__ */ q("option", { children: e }, e))]
							})]
						}),
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Device"
							}), /* @__PURE__ */ q("select", {
								value: a,
								"aria-label": "Device of the prediction",
								onChange: (e) => K("bench.device", e.currentTarget.value),
								children: [i.some((e) => e.id === a) ? null : /* @__PURE__ */ q("option", { children: a }), i.map((e) => /* @__PURE__ */ q("option", {
									value: e.id,
									children: e.name
								}, e.id))]
							})]
						}),
						y.length ? /* @__PURE__ */ q("label", {
							class: "check",
							children: [
								/* @__PURE__ */ q("input", {
									type: "checkbox",
									checked: G("bench.measure") !== "no",
									onChange: (e) => K("bench.measure", e.currentTarget.checked ? null : "no")
								}),
								/* @__PURE__ */ q("span", { children: "Measure here on" }),
								/* @__PURE__ */ q("select", {
									value: b,
									"aria-label": "Backend",
									onChange: (e) => K("bench.backend", e.currentTarget.value),
									children: y.map((e) => /* @__PURE__ */ q("option", { children: e.name }, e.name))
								})
							]
						}) : n ? /* @__PURE__ */ q("p", {
							class: "quiet small",
							children: ["Nothing here can run kernels: ", n.backends.map((e) => `${e.name}: ${e.reason ?? "not available"}`).join("; ")]
						}) : null,
						/* @__PURE__ */ q("div", {
							class: "buttons",
							children: [
								/* @__PURE__ */ q("button", {
									type: "submit",
									class: "button primary",
									disabled: !x || d || T,
									children: d ? "Asking…" : "Analyze"
								}),
								T ? /* @__PURE__ */ q("button", {
									type: "button",
									class: "button",
									onClick: () => void h().catch((e) => u(e.message)),
									children: "Stop"
								}) : null,
								/* @__PURE__ */ q("button", {
									type: "button",
									class: "button",
									disabled: !w.length,
									onClick: () => (ja.value = [], Ma.value = []),
									children: "Clear"
								})
							]
						}),
						p ? /* @__PURE__ */ q("div", {
							role: "status",
							class: "small",
							children: [
								/* @__PURE__ */ q("progress", {
									max: Math.max(1, p.total),
									value: p.done,
									"aria-label": "Kernels measured"
								}),
								/* @__PURE__ */ q("p", { children: p.state === "running" ? `${p.done} of ${p.total || "?"} measured${p.next ? `, next ${p.next}` : ""}` : p.state === "done" ? `${Ot(p.done, "kernel")} measured` : `${p.state} after ${p.done}` }),
								p.errors.map((e, t) => /* @__PURE__ */ q("p", {
									class: "warning-text",
									children: e
								}, t))
							]
						}) : null,
						l ? /* @__PURE__ */ q("p", {
							class: "warning-text",
							role: "alert",
							children: l
						}) : null
					]
				}) : /* @__PURE__ */ q(Va, { has: w.length > 0 }), /* @__PURE__ */ q("div", {
					class: "chart-column",
					children: [
						/* @__PURE__ */ q(Aa, {
							id: "bench",
							points: w,
							roofs: c,
							drawing: (e) => g.current = e
						}),
						/* @__PURE__ */ q(Ha, { points: w }),
						c.device && E.size ? /* @__PURE__ */ q("p", {
							class: "small warning-text",
							children: [
								"Roofs are those of ",
								c.device,
								"; measured on ",
								[...E].join(", "),
								"."
							]
						}) : null
					]
				})]
			}),
			/* @__PURE__ */ q(Ua, { points: w }),
			Ma.value.length ? /* @__PURE__ */ q("details", {
				class: "small",
				children: [/* @__PURE__ */ q("summary", { children: [Ot(Ma.value.length, "precision"), " that the device does not compute in"] }), /* @__PURE__ */ q("ul", { children: Ma.value.map((e, t) => /* @__PURE__ */ q("li", { children: [
					/* @__PURE__ */ q("code", { children: e.precision }),
					": ",
					e.reason
				] }, t)) })]
			}) : null
		]
	});
}
function Ba({ m: e, n: t, k: n }, r, i) {
	return `eaves predict ${e === 1 ? `gemv --n ${t} --k ${n}` : `gemm --m ${e} --n ${t} --k ${n}`} --precision ${r} --device ${i}`;
}
function Va({ has: e }) {
	return /* @__PURE__ */ q("div", {
		class: "stack bench-form",
		role: "note",
		children: [
			/* @__PURE__ */ q("p", { children: [
				"This page is a file, and predicting or running kernels needs the program. ",
				/* @__PURE__ */ q("code", { children: "eaves open FILE" }),
				" starts a server that opens this page with all of it."
			] }),
			/* @__PURE__ */ q("p", { children: [
				"On the command line: ",
				/* @__PURE__ */ q("code", { children: "eaves predict gemm --m 2048 --n 4096 --k 4096 --precision all --device h100-sxm" }),
				", ",
				/* @__PURE__ */ q("code", { children: "eaves bench gemv --n 4096 --k 4096 --precision all" }),
				"."
			] }),
			/* @__PURE__ */ q("p", {
				class: "quiet",
				children: e ? "Measurements that are in this document, and imported ones, are shown." : "The document has no measurements; points can be imported all the same."
			})
		]
	});
}
function Ha({ points: e }) {
	let t = [...new Map(e.map((e) => [e.precision, e])).values()], n = (e) => /* @__PURE__ */ q("svg", {
		width: "14",
		height: "14",
		viewBox: "-7 -7 14 14",
		"aria-hidden": "true",
		children: /* @__PURE__ */ q("circle", {
			r: "5",
			fill: "none",
			stroke: "currentColor",
			"stroke-width": "1.6",
			"stroke-dasharray": e
		})
	});
	return /* @__PURE__ */ q("div", {
		class: "legend",
		children: [
			/* @__PURE__ */ q("span", { children: [n("3 2"), " predicted"] }),
			/* @__PURE__ */ q("span", { children: [n(""), " measured"] }),
			/* @__PURE__ */ q("span", { children: "◇ imported" }),
			t.map((e) => {
				let t = Ta(e);
				return /* @__PURE__ */ q("span", { children: [
					/* @__PURE__ */ q("i", {
						class: "swatch",
						style: { "--mark": t.startsWith("#") ? t : `var(--${t})` }
					}),
					" ",
					e.precision || "not said"
				] }, e.precision);
			})
		]
	});
}
function Ua({ points: e }) {
	return e.length ? /* @__PURE__ */ q("div", {
		class: "scroll bench-results",
		children: /* @__PURE__ */ q("table", {
			class: "plain",
			children: [/* @__PURE__ */ q("thead", { children: /* @__PURE__ */ q("tr", { children: [
				"Kernel",
				"Precision",
				"",
				"Time",
				"Achieved",
				"Bandwidth",
				"Intensity",
				"Of its roof",
				"Of the prediction"
			].map((e) => /* @__PURE__ */ q("th", {
				scope: "col",
				children: e
			}, e)) }) }), /* @__PURE__ */ q("tbody", { children: e.slice(-200).toReversed().map((t, n) => {
				let r = Da(t, e);
				return /* @__PURE__ */ q("tr", { children: [
					/* @__PURE__ */ q("th", {
						scope: "row",
						children: t.name
					}),
					/* @__PURE__ */ q("td", { children: t.precision || "-" }),
					/* @__PURE__ */ q("td", { children: t.origin }),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: [V(t.time), t.interval === null ? "" : ` ±${U(t.interval)}`]
					}),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: ar(t.gflops * 1e9, "FLOP/s")
					}),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: t.gbps === null ? "-" : ar(t.gbps * 1e9, "B/s")
					}),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: [or(t.intensity), " FLOP/B"]
					}),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: t.pct === null ? "-" : U(t.pct)
					}),
					/* @__PURE__ */ q("td", {
						class: "num",
						children: r ? U(100 * r.time / t.time) : "-"
					})
				] }, n);
			}) })]
		})
	}) : null;
}
// src/views/bench/formats.tsx
function Wa(e) {
	let t = ma(e);
	return t.startsWith("#") ? t : `var(--${t})`;
}
function Ga(e) {
	return e.scales.length ? e.scales.map((e) => `${e.bits} bits for ${e.every === null ? "the tensor" : bt(e.every)}`).join(", ") : "none";
}
function Ka({ format: e }) {
	let t = [
		["sign", +(e.element_bits > e.exponent_bits + e.mantissa_bits)],
		["exponent", e.exponent_bits],
		[e.exponent_bits ? "mantissa" : "value", e.mantissa_bits]
	].filter(([, e]) => e > 0 && e < 65);
	return /* @__PURE__ */ q("div", {
		class: "bits",
		role: "img",
		"aria-label": t.map(([e, t]) => `${t} bits of ${e}`).join(", "),
		children: t.flatMap(([e, t]) => Array.from({ length: t }, (t, n) => /* @__PURE__ */ q("i", { class: e }, `${e}${n}`)))
	});
}
function qa({ format: e }) {
	let t = va(e);
	if (!t.length) return /* @__PURE__ */ q("p", {
		class: "quiet small",
		children: "Too many values to show one by one."
	});
	let n = t.at(-1) ?? 1, r = (e) => 10 + e / n * 620, i = t.length <= 16 ? t.map((e) => String(e)).join(", ") : "";
	return /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q("svg", {
		viewBox: "0 0 640 40",
		class: "values",
		role: "img",
		"aria-label": `${t.length} values from 0 to ${n}`,
		children: [
			/* @__PURE__ */ q("path", {
				class: "line",
				d: "M10 22H630"
			}),
			/* @__PURE__ */ q("path", {
				class: "tick",
				d: t.map((e) => `M${r(e).toFixed(2)} 12v20`).join(""),
				style: { stroke: Wa(e.name) }
			}),
			/* @__PURE__ */ q("text", {
				x: "10",
				y: "39",
				children: "0"
			}),
			/* @__PURE__ */ q("text", {
				x: 630,
				y: "39",
				"text-anchor": "end",
				children: wt(n)
			})
		]
	}), /* @__PURE__ */ q("p", {
		class: "quiet small",
		children: [
			t.length,
			" values that are not negative",
			i ? `: ${i}` : `, the smallest ${wt(t[1])}`,
			".",
			e.scales.length ? " A scale stretches them." : ""
		]
	})] });
}
function Ja({ source: e }) {
	let { answer: t, problem: n } = gr(e);
	if (!e.live) return /* @__PURE__ */ q(X, {
		title: "Formats",
		children: /* @__PURE__ */ q(Va, { has: !1 })
	});
	if (!t) return /* @__PURE__ */ q(X, {
		title: "Formats",
		children: n ? /* @__PURE__ */ q("p", {
			class: "warning-text",
			children: n
		}) : /* @__PURE__ */ q("p", {
			class: "quiet",
			children: "Asking…"
		})
	});
	let r = [...t].sort((e, t) => t.effective_bits - e.effective_bits || e.name.localeCompare(t.name)), i = t.find((e) => e.name === G("bench.format", "mxfp4")) ?? r[0], a = r[0]?.effective_bits ?? 1;
	return /* @__PURE__ */ q(X, {
		title: "Formats",
		note: "How many bits a number takes with its share of the scales, what range it has, and what computes it.",
		exports: {
			name: "formats",
			json: () => t,
			command: "eaves device show"
		},
		children: /* @__PURE__ */ q("div", {
			class: "formats",
			children: [/* @__PURE__ */ q("div", {
				class: "scroll",
				children: /* @__PURE__ */ q("table", {
					class: "plain",
					children: [/* @__PURE__ */ q("thead", { children: /* @__PURE__ */ q("tr", { children: [
						"Format",
						"Family",
						"Bits",
						"Exponent",
						"Mantissa",
						"Scales",
						"Bits with scales",
						"Largest",
						"Computed in"
					].map((e) => /* @__PURE__ */ q("th", {
						scope: "col",
						children: e
					}, e)) }) }), /* @__PURE__ */ q("tbody", { children: r.map((e) => /* @__PURE__ */ q("tr", {
						"aria-selected": e === i,
						onClick: () => K("bench.format", e.name),
						children: [
							/* @__PURE__ */ q("th", {
								scope: "row",
								children: /* @__PURE__ */ q("button", {
									type: "button",
									class: "link",
									onClick: () => K("bench.format", e.name),
									children: [
										/* @__PURE__ */ q("i", {
											class: "swatch",
											style: { "--mark": Wa(e.name) }
										}),
										" ",
										e.name
									]
								})
							}),
							/* @__PURE__ */ q("td", { children: e.family }),
							/* @__PURE__ */ q("td", {
								class: "num",
								children: e.element_bits
							}),
							/* @__PURE__ */ q("td", {
								class: "num",
								children: e.exponent_bits || "-"
							}),
							/* @__PURE__ */ q("td", {
								class: "num",
								children: e.mantissa_bits || "-"
							}),
							/* @__PURE__ */ q("td", { children: Ga(e) }),
							/* @__PURE__ */ q("td", {
								class: "num share",
								style: { "--part": `${100 * Math.log2(1 + e.effective_bits) / Math.log2(1 + a)}%` },
								children: vt(e.effective_bits, Number.isInteger(e.effective_bits) ? 0 : 3)
							}),
							/* @__PURE__ */ q("td", {
								class: "num",
								children: e.largest > 1e6 ? e.largest.toExponential(2) : wt(e.largest)
							}),
							/* @__PURE__ */ q("td", { children: e.arithmetic ?? "-" })
						]
					}, e.name)) })]
				})
			}), i ? /* @__PURE__ */ q("section", {
				class: "format",
				"aria-label": `About ${i.name}`,
				children: [
					/* @__PURE__ */ q("h3", { children: i.name }),
					/* @__PURE__ */ q(Ka, { format: i }),
					/* @__PURE__ */ q("p", {
						class: "small quiet",
						children: [
							i.element_bits,
							" bits",
							i.scales.length ? `; scales: ${Ga(i)}` : "",
							". A tensor of 4096 x 4096 takes ",
							(i.effective_bits * 4096 * 4096 / 8 / 2 ** 20).toFixed(2),
							" MiB, ",
							Ya(i.effective_bits),
							" of fp16."
						]
					}),
					/* @__PURE__ */ q(qa, { format: i })
				]
			}) : null]
		})
	});
}
function Ya(e) {
	return `${(100 * e / 16).toFixed(1)}%`;
}
// src/views/bench/import.ts
function Xa(e) {
	let t = e.toLowerCase().split(/[x×]/).map((e) => Number(e.trim()));
	return t.every((e) => Number.isInteger(e) && e > 0) ? t.length === 2 ? [
		1,
		t[0] ?? 0,
		t[1] ?? 0
	] : t.length === 3 ? [
		t[0] ?? 0,
		t[1] ?? 0,
		t[2] ?? 0
	] : null : null;
}
function Za(e) {
	return typeof e == "number" && Number.isFinite(e) && e > 0 ? e : null;
}
function Qa(e) {
	if (typeof e != "object" || !e || Array.isArray(e)) return "it is no object";
	let t = e, n = Za(t.time_us) ?? (Za(t.latency_ms) ?? 0) * 1e3;
	if (!n) return "`time_us` must be a number above 0";
	let r = typeof t.precision == "string" ? t.precision : "", i = Za(t.ai), a = Za(t.tflops);
	for (let e of [
		"ai",
		"tflops",
		"bandwidth_gb_s"
	]) if (t[e] !== void 0 && t[e] !== null && Za(t[e]) === null) return `\`${e}\` must be a number above 0`;
	let o = typeof t.shape == "string" ? Xa(t.shape) : null;
	if (typeof t.shape == "string" && !o) return `the shape \`${t.shape}\` is neither NxK nor MxNxK`;
	if ((i === null || a === null) && !o) return "it needs `ai` and `tflops`, or a `shape`";
	if (o && (i === null || a === null)) {
		let e = ga(r);
		if (e === null) return r ? `unknown precision \`${r}\`` : "a shape needs a `precision`";
		let { flops: t, bytes: s } = _a(...o, e);
		i ??= t / s, a ??= t / n / 1e6;
	}
	let s = typeof t.label == "string" && t.label ? t.label : typeof t.shape == "string" ? t.shape : "point", c = Za(t.bandwidth_gb_s) ?? Za(t.memory_bw_gb_s);
	return {
		origin: "imported",
		name: s,
		precision: r,
		intensity: i ?? 0,
		gflops: (a ?? 0) * 1e3,
		gbps: c,
		time: n * 1e3,
		boundBy: null,
		pct: null,
		interval: null,
		device: "imported",
		more: []
	};
}
function $a(e) {
	let t;
	try {
		t = JSON.parse(e);
	} catch (e) {
		return {
			accepted: [],
			rejected: [{
				at: "file",
				reason: `no JSON (${e instanceof Error ? e.message : String(e)})`
			}]
		};
	}
	let n = [];
	if (Array.isArray(t)) n.push(["", t]);
	else if (typeof t == "object" && t) for (let e of [
		"points",
		"simplified",
		"rows",
		"results"
	]) {
		let r = t[e];
		Array.isArray(r) && n.push([e, r]);
	}
	if (!n.length) return {
		accepted: [],
		rejected: [{
			at: "file",
			reason: "neither a list nor an object with `points` or `simplified`"
		}]
	};
	let r = {
		accepted: [],
		rejected: []
	};
	for (let [e, t] of n) t.forEach((t, n) => {
		let i = Qa(t);
		typeof i == "string" ? r.rejected.push({
			at: `${e}[${n}]`,
			reason: i
		}) : r.accepted.push(i);
	});
	return r;
}
// src/views/bench/import-panel.tsx
var eo = "[{\"shape\": \"4096x4096\", \"precision\": \"FP16\", \"time_us\": 203.4}]";
function to() {
	let [e, t] = F(""), [n, r] = F(null), i = R(null), a = (e) => {
		let t = $a(e);
		Pa(t.accepted), r(t);
	};
	return /* @__PURE__ */ q(X, {
		title: "Import",
		note: /* @__PURE__ */ q(x, { children: [
			"Points with ",
			/* @__PURE__ */ q("code", { children: "ai" }),
			", ",
			/* @__PURE__ */ q("code", { children: "tflops" }),
			" and ",
			/* @__PURE__ */ q("code", { children: "time_us" }),
			", or shapes ",
			/* @__PURE__ */ q("code", { children: "NxK" }),
			" or ",
			/* @__PURE__ */ q("code", { children: "MxNxK" }),
			" with ",
			/* @__PURE__ */ q("code", { children: "precision" }),
			" and ",
			/* @__PURE__ */ q("code", { children: "time_us" }),
			"; a list, or under ",
			/* @__PURE__ */ q("code", { children: "points" }),
			", ",
			/* @__PURE__ */ q("code", { children: "simplified" }),
			", ",
			/* @__PURE__ */ q("code", { children: "rows" }),
			" or ",
			/* @__PURE__ */ q("code", { children: "results" }),
			". They are drawn beside the others of this view."
		] }),
		children: /* @__PURE__ */ q("div", {
			class: "stack",
			children: [
				/* @__PURE__ */ q("textarea", {
					class: "paste",
					rows: 8,
					spellcheck: !1,
					"aria-label": "Points as JSON",
					placeholder: eo,
					value: e,
					onInput: (e) => t(e.currentTarget.value)
				}),
				/* @__PURE__ */ q("div", {
					class: "buttons",
					children: [
						/* @__PURE__ */ q("button", {
							type: "button",
							class: "button primary",
							disabled: !e.trim(),
							onClick: () => a(e),
							children: "Import"
						}),
						/* @__PURE__ */ q("label", {
							class: "button file",
							children: ["From a file", /* @__PURE__ */ q("input", {
								ref: i,
								type: "file",
								class: "unseen",
								accept: ".json,application/json",
								onChange: (e) => {
									let t = e.currentTarget;
									t.files?.[0]?.text().then((e) => {
										a(e), t.value = "";
									});
								}
							})]
						}),
						/* @__PURE__ */ q("button", {
							type: "button",
							class: "button",
							disabled: !ja.value.some((e) => e.origin === "imported"),
							onClick: () => (ja.value = ja.value.filter((e) => e.origin !== "imported"), r(null)),
							children: "Forget imported"
						})
					]
				}),
				n ? /* @__PURE__ */ q("div", {
					role: "status",
					class: "small",
					children: [/* @__PURE__ */ q("p", { children: [/* @__PURE__ */ q("b", {
						class: "better",
						children: [Ot(n.accepted.length, "point"), " accepted"]
					}), n.rejected.length ? /* @__PURE__ */ q("b", {
						class: "warning-text",
						children: [
							", ",
							n.rejected.length,
							" rejected"
						]
					}) : null] }), /* @__PURE__ */ q("ul", { children: [n.rejected.slice(0, 50).map((e) => /* @__PURE__ */ q("li", { children: [
						/* @__PURE__ */ q("code", { children: e.at }),
						": ",
						e.reason
					] }, e.at)), n.rejected.length > 50 ? /* @__PURE__ */ q("li", { children: [
						"and ",
						n.rejected.length - 50,
						" more"
					] }) : null] })]
				}) : null
			]
		})
	});
}
// src/kit/table.tsx
var no = 26;
function ro({ table: e, section: t, id: n, columns: r, sort: i, rows: a = 16, bare: o = !1 }) {
	let s = Ee(), c = R(null), [l, u] = F(0), [d, f] = F(null), p = G(`${n}.sort`, i ?? ""), m = G(`${n}.filter`), h = Rt.value, g = z(() => Tn(e, r), [e, r?.join()]), _ = z(() => On(e, {
		sort: p,
		filter: m,
		rank: h
	}), [
		e,
		p,
		m,
		h
	]), v = yn(e), y = e.columns.findIndex((e) => e.id === "verdict"), b = Math.min(_.length, a) * no, [x, S] = kn(_.length, l, b + no, no), C = It.value;
	Te(() => {
		let e = c.current;
		if (!e || !d) return;
		let t = e.querySelector("thead")?.getBoundingClientRect().height ?? 0, n = d.row * no;
		n < e.scrollTop ? e.scrollTop = n : n + no > e.scrollTop + e.clientHeight - t && (e.scrollTop = n + no - e.clientHeight + t), e.querySelector(`#${CSS.escape(io(s, d))}`)?.scrollIntoView({
			block: "nearest",
			inline: "nearest"
		});
	}, [d]);
	let w = (n, r, i) => {
		let a = e.rows[r];
		a && tn(n, Y(e, a, i.at, t));
	}, T = (t, n) => {
		let r = e.rows[t]?.[v];
		typeof r == "string" && (n ? Vt(r) : Bt(C.size === 1 && C.has(r) ? [] : [r]));
	}, E = (e) => {
		let t = e.target, n = t.closest("[data-row]");
		if (!n) return;
		let [r, i] = [Number(n.dataset.row), Number(n.dataset.column)], a = _[r], o = g[i];
		a !== void 0 && o && (f({
			row: r,
			column: i
		}), t.closest(".number") ? w(t, a, o) : T(a, e.ctrlKey || e.metaKey || e.shiftKey));
	}, D = (e) => {
		let t = d ?? {
			row: 0,
			column: 0
		}, n = Math.max(1, Math.floor(b / no) - 1), r = _.length - 1, i = {
			ArrowDown: {
				...t,
				row: d ? t.row + 1 : 0
			},
			ArrowUp: {
				...t,
				row: t.row - 1
			},
			ArrowRight: {
				...t,
				column: t.column + 1
			},
			ArrowLeft: {
				...t,
				column: t.column - 1
			},
			PageDown: {
				...t,
				row: t.row + n
			},
			PageUp: {
				...t,
				row: t.row - n
			},
			Home: {
				row: 0,
				column: e.ctrlKey ? 0 : t.column
			},
			End: {
				row: r,
				column: t.column
			}
		}[e.key], a = _[t.row], o = g[t.column];
		if (i) f({
			row: Math.max(0, Math.min(i.row, r)),
			column: Math.max(0, Math.min(i.column, g.length - 1))
		});
		else if (e.key === "Enter" && a !== void 0 && o) {
			let e = c.current?.querySelector(`#${CSS.escape(io(s, t))}`);
			e && (o.kind === "number" || o.kind === "share") ? w(e, a, o) : T(a, !1);
		} else if (e.key === " " && a !== void 0) T(a, !0);
		else return;
		e.preventDefault(), e.stopPropagation();
	}, O = e.rows.length;
	return /* @__PURE__ */ q("div", {
		class: "data-table",
		children: [o || O < 6 ? null : /* @__PURE__ */ q("div", {
			class: "table-tools",
			children: [/* @__PURE__ */ q("input", {
				type: "search",
				placeholder: "Filter: words, -word, calls>100, total_ns>1ms",
				"aria-label": `Filter ${e.title ?? e.id}`,
				value: m,
				onInput: (e) => K(`${n}.filter`, e.currentTarget.value || null)
			}), /* @__PURE__ */ q("span", {
				class: "quiet",
				role: "status",
				children: _.length === O ? Ot(O, "row") : `${bt(_.length)} of ${Ot(O, "row")}`
			})]
		}), /* @__PURE__ */ q("div", {
			class: "scroll",
			ref: c,
			style: { maxHeight: `${a * no + 46}px` },
			onScroll: (e) => u(e.currentTarget.scrollTop),
			children: [/* @__PURE__ */ q("table", {
				role: "grid",
				tabIndex: 0,
				"aria-label": e.title ?? e.id,
				"aria-rowcount": _.length + 1,
				"aria-multiselectable": !0,
				"aria-activedescendant": d && d.row < _.length ? io(s, d) : void 0,
				onKeyDown: D,
				onClick: E,
				style: { minWidth: `${g.reduce((e, t) => e + t.width, 0)}ch` },
				children: [
					/* @__PURE__ */ q("colgroup", { children: g.map((e) => /* @__PURE__ */ q("col", { style: { width: `${e.width}ch` } }, e.column.id)) }),
					/* @__PURE__ */ q("thead", { children: /* @__PURE__ */ q("tr", {
						"aria-rowindex": 1,
						children: g.map((e) => /* @__PURE__ */ q(ao, {
							shape: e,
							sort: p,
							choose: (e) => K(`${n}.sort`, e)
						}, e.column.id))
					}) }),
					/* @__PURE__ */ q("tbody", { children: [
						x > 0 ? /* @__PURE__ */ q("tr", {
							"aria-hidden": "true",
							style: { height: `${x * no}px` }
						}) : null,
						_.slice(x, S).map((t, n) => {
							let r = e.rows[t] ?? [], i = v >= 0 && typeof r[v] == "string" && C.has(r[v]), a = x + n;
							return /* @__PURE__ */ q("tr", {
								"aria-rowindex": a + 2,
								"aria-selected": v >= 0 ? i : void 0,
								children: g.map((e, t) => {
									let n = r[e.at], i = Et(n, e.column, e.isFloat), o = e.kind === "number" || e.kind === "share", c = d?.row === a && d.column === t, l = Tt(e.column) || e.at === y ? Dt(r[y]) ?? "" : "";
									return /* @__PURE__ */ q("td", {
										role: "gridcell",
										id: io(s, {
											row: a,
											column: t
										}),
										"data-row": a,
										"data-column": t,
										class: `${e.kind} ${l}${c ? " here" : ""}`,
										title: o ? void 0 : i.length > e.width - 2 ? i : void 0,
										style: e.kind === "share" && typeof n == "number" ? { "--part": `${Math.max(0, Math.min(100, n))}%` } : void 0,
										children: o || n === null ? /* @__PURE__ */ q("span", {
											class: "number",
											children: i
										}) : e.kind === "name" ? Li(i, e.width - 2) : i
									}, e.column.id);
								})
							}, t);
						}),
						S < _.length ? /* @__PURE__ */ q("tr", {
							"aria-hidden": "true",
							style: { height: `${(_.length - S) * no}px` }
						}) : null
					] })
				]
			}), _.length === 0 ? /* @__PURE__ */ q("p", {
				class: "empty",
				children: O === 0 ? "No rows." : "No row matches."
			}) : null]
		})]
	});
}
function io(e, t) {
	return `${e}-${t.row}-${t.column}`;
}
function ao({ shape: e, sort: t, choose: n }) {
	let { id: r } = e.column, i = t === r ? "ascending" : t === `-${r}` ? "descending" : void 0, a = e.kind === "number" || e.kind === "share" ? [
		`-${r}`,
		r,
		null
	] : [
		r,
		`-${r}`,
		null
	], o = a.indexOf(t);
	return /* @__PURE__ */ q("th", {
		scope: "col",
		class: e.kind,
		"aria-sort": i,
		children: /* @__PURE__ */ q("button", {
			type: "button",
			onClick: () => n(a[(o + 1) % 3] ?? null),
			title: `${r}: sort`,
			children: [e.column.title ?? r, /* @__PURE__ */ q("span", {
				"aria-hidden": "true",
				children: i === "ascending" ? " ▲" : i === "descending" ? " ▼" : ""
			})]
		})
	});
}
// src/views/bench/transformer.tsx
var oo = 4, so = [
	"#fbbf24",
	"#34d399",
	"#c084fc",
	"#fb7185"
], co = [
	"time_ns",
	"tokens_per_second",
	"flops",
	"bytes",
	"weights_bytes",
	"cache_bytes",
	"fits",
	"cache_crossover_tokens"
], lo = {
	time_ns: "Best time",
	tokens_per_second: "Tokens a second",
	weights_bytes: "Weights",
	cache_bytes: "Cache",
	fits: "Fits in memory",
	cache_crossover_tokens: "Cache equals weights at"
};
function uo(e, t) {
	return e?.numbers.find((e) => e.id === t);
}
function fo(e) {
	let t = e.name;
	return {
		symbol: /attention(?!_norm)|qk|sv|score/.test(t) ? "diamond" : /norm|softmax|silu|residual|rope|add|mul|embedding/.test(t) ? "square" : "circle",
		radius: 6
	};
}
function po({ name: e, title: t, low: n, high: r, value: i, change: a }) {
	return /* @__PURE__ */ q("label", {
		class: "field",
		children: [
			/* @__PURE__ */ q("span", {
				class: "quiet",
				children: t
			}),
			/* @__PURE__ */ q("input", {
				type: "range",
				name: e,
				min: n,
				max: r,
				step: "1",
				value: Math.round(Math.log2(i)),
				"aria-label": t,
				"aria-valuetext": String(i),
				onInput: (e) => a(2 ** e.currentTarget.valueAsNumber)
			}),
			/* @__PURE__ */ q("output", { children: i.toLocaleString("en") })
		]
	});
}
function mo({ source: e }) {
	let { answer: t, problem: n } = hr(e), r = oi(e), i = G("bench.model", "llama-3-8b"), a = G("bench.config", "fp16"), o = G("bench.phase") === "prefill" ? "prefill" : "decode", s = Number(G("bench.context", "4096")) || 4096, c = Number(G("bench.batch", "1")) || 1, l = G("bench.device", "nvidia-h100-sxm"), u = G("bench.whatif"), d = _r(e, l), [f, p] = F(null), [m, h] = F(null), [g, _] = F(null), [v, y] = F([]), b = R(() => null);
	L(() => {
		if (!e.live) return;
		let t = !0, n = (e) => ({
			op: "model",
			model: i,
			config: a,
			phase: o,
			context: s,
			batch: c,
			device: e
		}), r = setTimeout(() => {
			let r = (e) => {
				t && _(e instanceof Error ? e.message : String(e));
			};
			e.ask("predict", n(l)).then((e) => t && (p(e), _(null)), r), u ? e.ask("predict", n(u)).then((e) => t && h(e), r) : h(null);
		}, 150);
		return () => {
			t = !1, clearTimeout(r);
		};
	}, [
		e,
		i,
		a,
		o,
		s,
		c,
		l,
		u
	]);
	let x = z(() => f ? Sa(f) : [], [f]);
	if (!e.live) return /* @__PURE__ */ q(X, {
		title: "Transformer",
		children: /* @__PURE__ */ q(Va, { has: !1 })
	});
	let S = f?.sections.find((e) => e.id === "predict"), C = S?.tables.find((e) => e.id === "predictions"), w = t?.configurations.find((e) => e.key === a), T = `${i} ${a} ${o}, context ${s}, batch ${c}, ${l}`, E = [
		...S ? [{
			title: "now",
			section: S
		}] : [],
		...ho(m, u),
		...v
	], D = (e, t) => K(`bench.${e}`, t || null);
	return /* @__PURE__ */ q(X, {
		title: "Transformer",
		note: "Best times: every operator at its roof, one after the other.",
		exports: {
			name: "transformer",
			svg: () => b.current(),
			table: C ? () => C : void 0,
			command: `eaves predict model ${i} --config ${a} --phase ${o} --context ${s} --batch ${c} --device ${l}`
		},
		children: [
			/* @__PURE__ */ q("div", {
				class: "bench-work",
				children: [/* @__PURE__ */ q("div", {
					class: "stack bench-form",
					children: [
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Model"
							}), /* @__PURE__ */ q("select", {
								value: i,
								"aria-label": "Model",
								onChange: (e) => D("model", e.currentTarget.value),
								children: t ? t.models.map((e) => /* @__PURE__ */ q("option", {
									value: e.key,
									children: `${e.name} (${wt(e.parameters / 1e9)} B)`
								}, e.key)) : /* @__PURE__ */ q("option", { children: i })
							})]
						}),
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Precisions"
							}), /* @__PURE__ */ q("select", {
								value: a,
								"aria-label": "Precisions of the model",
								onChange: (e) => D("config", e.currentTarget.value),
								children: t ? t.configurations.map((e) => /* @__PURE__ */ q("option", { children: e.key }, e.key)) : /* @__PURE__ */ q("option", { children: a })
							})]
						}),
						w ? /* @__PURE__ */ q("p", {
							class: "quiet small",
							children: [
								"weights ",
								w.weights,
								", activations ",
								w.activations,
								", cache ",
								w.cache,
								", computed in ",
								w.compute
							]
						}) : null,
						/* @__PURE__ */ q("div", {
							class: "sub-tabs",
							role: "radiogroup",
							"aria-label": "Phase",
							children: ["prefill", "decode"].map((e) => /* @__PURE__ */ q("button", {
								type: "button",
								role: "radio",
								"aria-checked": o === e,
								onClick: () => D("phase", e === "decode" ? "" : e),
								children: e
							}, e))
						}),
						/* @__PURE__ */ q(po, {
							name: "context",
							title: "Context",
							low: 5,
							high: 17,
							value: s,
							change: (e) => D("context", String(e))
						}),
						/* @__PURE__ */ q(po, {
							name: "batch",
							title: "Batch",
							low: 0,
							high: 9,
							value: c,
							change: (e) => D("batch", String(e))
						}),
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Device"
							}), /* @__PURE__ */ q("select", {
								value: l,
								"aria-label": "Device of the model",
								onChange: (e) => D("device", e.currentTarget.value),
								children: [r.some((e) => e.id === l) ? null : /* @__PURE__ */ q("option", { children: l }), r.map((e) => /* @__PURE__ */ q("option", {
									value: e.id,
									children: e.name
								}, e.id))]
							})]
						}),
						/* @__PURE__ */ q("label", {
							class: "field",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "What if on"
							}), /* @__PURE__ */ q("select", {
								value: u,
								"aria-label": "What if on",
								onChange: (e) => D("whatif", e.currentTarget.value),
								children: [/* @__PURE__ */ q("option", {
									value: "",
									children: "nothing else"
								}), r.map((e) => /* @__PURE__ */ q("option", {
									value: e.id,
									children: e.name
								}, e.id))]
							})]
						}),
						/* @__PURE__ */ q("div", {
							class: "buttons",
							children: /* @__PURE__ */ q("button", {
								type: "button",
								class: "button",
								disabled: !S || v.length >= oo,
								onClick: () => S && y([...v, {
									title: T,
									section: S
								}]),
								children: ["Pin current", v.length ? ` (${v.length} of ${oo})` : ""]
							})
						}),
						g ?? n ? /* @__PURE__ */ q("p", {
							class: "warning-text",
							role: "alert",
							children: g ?? n
						}) : null
					]
				}), /* @__PURE__ */ q("div", {
					class: "chart-column",
					children: [/* @__PURE__ */ q(Aa, {
						id: "transformer",
						points: x,
						roofs: d,
						height: 360,
						look: fo,
						drawing: (e) => b.current = e
					}), /* @__PURE__ */ q("div", {
						class: "legend",
						children: [
							/* @__PURE__ */ q("span", { children: "○ product" }),
							/* @__PURE__ */ q("span", { children: "◇ attention" }),
							/* @__PURE__ */ q("span", { children: "□ elementwise" }),
							/* @__PURE__ */ q("span", { children: "every operator at its roof: the best it could do" })
						]
					})]
				})]
			}),
			E.length ? /* @__PURE__ */ q("div", {
				class: "scroll",
				children: /* @__PURE__ */ q("table", {
					class: "plain compare",
					children: [/* @__PURE__ */ q("thead", { children: /* @__PURE__ */ q("tr", { children: [/* @__PURE__ */ q("th", { scope: "col" }), E.map((e, t) => {
						let n = v.indexOf(e);
						return /* @__PURE__ */ q("th", {
							scope: "col",
							style: n >= 0 ? { boxShadow: `inset 0 3px 0 ${so[n]}` } : void 0,
							children: [e.title, n >= 0 ? /* @__PURE__ */ q("button", {
								type: "button",
								class: "icon",
								"aria-label": `Unpin ${e.title}`,
								onClick: () => y(v.filter((t) => t !== e)),
								children: "×"
							}) : null]
						}, t);
					})] }) }), /* @__PURE__ */ q("tbody", { children: co.map((e) => /* @__PURE__ */ q("tr", { children: [/* @__PURE__ */ q("th", {
						scope: "row",
						children: lo[e] ?? At(e)
					}), E.map((t, n) => /* @__PURE__ */ q("td", {
						class: "num",
						children: /* @__PURE__ */ q(go, {
							entry: uo(t.section, e),
							base: n ? uo(S, e) : void 0,
							section: t.section
						})
					}, n))] }, e)) })]
				})
			}) : /* @__PURE__ */ q("p", {
				class: "quiet",
				children: "Asking…"
			}),
			C ? /* @__PURE__ */ q(ro, {
				table: C,
				section: S,
				id: "bench.ops",
				sort: "-share_pct",
				rows: 18,
				columns: [
					"op",
					"precision",
					"share_pct",
					"time_ns",
					"bound_by",
					"class",
					"intensity",
					"flops",
					"bytes",
					"calls",
					"roof_gflops"
				]
			}) : null
		]
	});
}
function ho(e, t) {
	let n = e?.sections.find((e) => e.id === "predict");
	return n && t ? [{
		title: `if on ${String(uo(n, "device")?.value ?? t)}`,
		section: n
	}] : [];
}
function go({ entry: e, base: t, section: n }) {
	if (!e) return /* @__PURE__ */ q(x, { children: "-" });
	let r = typeof e.value == "number" && typeof t?.value == "number" && t.value > 0 && e.value !== t.value;
	return /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q(sn, {
		entry: e,
		section: n
	}), r ? /* @__PURE__ */ q("span", {
		class: "quiet",
		children: [" ", U(100 * e.value / t?.value)]
	}) : null] });
}
// src/views/bench/index.tsx
var _o = [
	["kernel", "Kernel"],
	["transformer", "Transformer"],
	["formats", "Formats"],
	["import", "Import"]
];
function vo({ source: e, document: t }) {
	let n = _o.find(([e]) => e === G("bench.tab"))?.[0] ?? "kernel";
	return /* @__PURE__ */ q("div", {
		class: "bench",
		children: [
			/* @__PURE__ */ q("div", {
				class: "sub-tabs",
				role: "tablist",
				"aria-label": "Parts of the bench",
				children: _o.map(([e, t]) => /* @__PURE__ */ q("button", {
					type: "button",
					role: "tab",
					"aria-selected": e === n,
					onClick: () => K("bench.tab", e === "kernel" ? null : e),
					children: t
				}, e))
			}),
			n === "transformer" ? /* @__PURE__ */ q(mo, { source: e }) : null,
			n === "formats" ? /* @__PURE__ */ q(Ja, { source: e }) : null,
			n === "import" ? /* @__PURE__ */ q(to, {}) : null,
			n === "kernel" || n === "import" ? /* @__PURE__ */ q(za, {
				source: e,
				document: t
			}) : null
		]
	});
}
var yo = {
	id: "bench",
	title: "Bench",
	Component: vo
};
// src/kit/numbers.tsx
function bo(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e) t.set(n.id, [...t.get(n.id) ?? [], n]);
	return [...t.values()];
}
var xo = 4;
function So({ numbers: e, section: t, title: n }) {
	let r = Rt.value, i = e.filter((e) => r === null || e.rank === r || e.rank === null || e.rank === void 0), [a] = i;
	if (!a) return null;
	let o = i.filter((e) => typeof e.value == "number").sort((e, t) => Number(e.value) - Number(t.value)), [s, c] = [o[0], o.at(-1)];
	return /* @__PURE__ */ q("div", {
		class: "card",
		children: [/* @__PURE__ */ q("dt", { children: n ?? At(a.id) }), /* @__PURE__ */ q("dd", { children: i.length <= xo || !s || !c ? i.map((e, n) => /* @__PURE__ */ q("span", {
			class: "of-rank",
			children: [/* @__PURE__ */ q(sn, {
				entry: e,
				section: t
			}), i.length > 1 ? /* @__PURE__ */ q("small", { children: wo(i)[n] }) : null]
		}, n)) : /* @__PURE__ */ q("span", {
			class: "of-rank",
			children: [/* @__PURE__ */ q(cn, {
				about: () => ({
					...an(a, t),
					title: n ?? At(a.id),
					text: `${wt(s.value, s.unit)} to ${wt(c.value, c.unit)}`,
					exact: `${i.length} ranks`,
					inputs: o.toReversed().map((e) => [`rank ${e.rank}`, wt(e.value, e.unit)])
				}),
				children: [
					wt(s.value, s.unit),
					" – ",
					wt(c.value, c.unit)
				]
			}), /* @__PURE__ */ q("small", { children: [
				"rank ",
				s.rank,
				" – ",
				c.rank
			] })]
		}) })]
	});
}
var Co = 8;
function wo(e) {
	let t = /* @__PURE__ */ new Map();
	return e.map((e) => {
		let n = t.get(e.rank) ?? 0;
		return t.set(e.rank, n + 1), `rank ${e.rank}${n > 0 ? ` (${n + 1})` : ""}`;
	});
}
function To({ groups: e, section: t }) {
	let n = wo(e.reduce((e, t) => t.length > e.length ? t : e, []));
	return /* @__PURE__ */ q("div", {
		class: "wide",
		children: /* @__PURE__ */ q("table", {
			class: "by-rank",
			children: [/* @__PURE__ */ q("thead", { children: /* @__PURE__ */ q("tr", { children: [
				/* @__PURE__ */ q("th", {
					scope: "col",
					children: /* @__PURE__ */ q("span", {
						class: "unseen",
						children: "Number"
					})
				}),
				n.map((e) => /* @__PURE__ */ q("th", {
					scope: "col",
					children: e
				}, e)),
				/* @__PURE__ */ q("th", {
					scope: "col",
					children: /* @__PURE__ */ q("span", {
						class: "unseen",
						children: "Meaning"
					})
				})
			] }) }), /* @__PURE__ */ q("tbody", { children: e.map((e) => {
				let [r] = e, i = wo(e);
				return /* @__PURE__ */ q("tr", { children: [
					/* @__PURE__ */ q("th", {
						scope: "row",
						children: r ? `${At(r.id)}${r.unit === "%" ? ", share" : ""}` : ""
					}),
					n.map((n) => {
						let r = e[i.indexOf(n)];
						return /* @__PURE__ */ q("td", { children: r ? /* @__PURE__ */ q(sn, {
							entry: r,
							section: t
						}) : null }, n);
					}),
					/* @__PURE__ */ q("td", {
						class: "meaning",
						children: r?.explain
					})
				] }, r?.id);
			}) })]
		})
	});
}
function Eo({ section: e, ids: t }) {
	let n = Rt.value, r = e.numbers.filter((e) => (!t || t.includes(e.id)) && (n === null || typeof e.rank != "number" || e.rank === n));
	if (r.length === 0) return null;
	let i = bo(r), a = i.filter((e) => typeof e[0]?.rank == "number" && e.length <= Co), o = i.filter((e) => !a.includes(e));
	return /* @__PURE__ */ q(x, { children: [o.length ? /* @__PURE__ */ q("dl", {
		class: "cards",
		children: o.map((t) => /* @__PURE__ */ q(So, {
			numbers: t,
			section: e
		}, t[0]?.id))
	}) : null, a.length ? /* @__PURE__ */ q(To, {
		groups: a,
		section: e
	}) : null] });
}
// src/kit/section.tsx
function Do(e) {
	if (!e.gain_ns) return;
	let [t, n] = e.gain_ns;
	return `${t === n ? V(n) : t === 0 ? `up to ${V(n)}` : `${V(t)} to ${V(n)}`}${e.gain_of === "step" ? " a step" : ""}`;
}
function Oo(e, t) {
	return t.tables.map((t) => ({
		id: t.id,
		at: e.evidence.search(RegExp(`\\b${t.id}\\b`))
	})).filter((e) => e.at >= 0).sort((e, t) => e.at - t.at)[0]?.id;
}
var ko = {
	critical: "▲",
	warning: "◆",
	info: "●"
};
function Ao({ finding: e, section: t, place: n }) {
	let r = Do(e), i = Oo(e, t);
	return /* @__PURE__ */ q("li", {
		class: `finding ${e.severity}`,
		children: [
			/* @__PURE__ */ q("p", {
				class: "claim",
				children: /* @__PURE__ */ q(nr, {
					text: e.claim,
					sentence: !0
				})
			}),
			/* @__PURE__ */ q("p", {
				class: "tags",
				children: [/* @__PURE__ */ q("span", {
					class: "severity",
					children: [
						/* @__PURE__ */ q("span", {
							"aria-hidden": "true",
							children: ko[e.severity]
						}),
						" ",
						e.severity
					]
				}), r ? /* @__PURE__ */ q("span", {
					class: "gain",
					children: [
						"gains",
						" ",
						/* @__PURE__ */ q(cn, {
							about: () => ({
								title: "What this can gain",
								text: r,
								exact: `${e.gain_ns?.join(" to ")} ns`,
								formula: e.gain_basis ?? "",
								provenance: "formula",
								section: t.id,
								...i ? { table: i } : {}
							}),
							children: r
						})
					]
				}) : null]
			}),
			/* @__PURE__ */ q("dl", { children: [
				/* @__PURE__ */ q("dt", { children: "Next" }),
				/* @__PURE__ */ q("dd", { children: /* @__PURE__ */ q(nr, {
					text: e.next,
					sentence: !0
				}) }),
				/* @__PURE__ */ q("dt", { children: "Seen in" }),
				/* @__PURE__ */ q("dd", { children: [
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "link",
						onClick: () => un(t.id, i),
						children: t.title
					}),
					n ? /* @__PURE__ */ q(x, { children: [" · ", /* @__PURE__ */ q("button", {
						type: "button",
						class: "link",
						onClick: n.open,
						children: [n.title, " view"]
					})] }) : null,
					/* @__PURE__ */ q("span", {
						class: "quiet",
						children: [" ", /* @__PURE__ */ q(nr, { text: e.evidence })]
					})
				] })
			] })
		]
	});
}
function jo({ id: e, tabs: t, label: n }) {
	let r = G(e, t[0]?.id ?? "");
	return t.length < 2 ? null : /* @__PURE__ */ q("div", {
		class: "sub-tabs",
		role: "tablist",
		"aria-label": n,
		children: t.map((n) => /* @__PURE__ */ q("button", {
			type: "button",
			role: "tab",
			"aria-selected": n.id === r,
			onClick: () => K(e, n.id === t[0]?.id ? null : n.id),
			children: n.title
		}, n.id))
	});
}
function Mo(e, t) {
	let n = G(e);
	return (t.find((e) => e.id === n) ?? t[0])?.id;
}
function No({ document: e, section: t, table: n, rows: r, sort: i, columns: a, title: o }) {
	let s = `${t.id}.${n.id}`;
	return /* @__PURE__ */ q(X, {
		title: o ?? n.title ?? n.id,
		exports: {
			name: `${t.id}-${n.id}`,
			table: () => n,
			command: Kn(e, void 0, `--section ${t.id} --csv`)
		},
		children: /* @__PURE__ */ q(ro, {
			id: s,
			section: t,
			table: n,
			columns: a,
			...r ? { rows: r } : {},
			...i ? { sort: i } : {}
		})
	});
}
function Po({ document: e, section: t, only: n }) {
	let r = R(null);
	Rt.value;
	let i = n ? t.tables.toSorted((e, t) => Number(t.id === n) - Number(e.id === n)) : t.tables;
	return /* @__PURE__ */ q("div", {
		class: "section-view",
		ref: r,
		children: [t.numbers.length || t.findings.length ? /* @__PURE__ */ q(X, {
			title: t.title,
			exports: {
				name: t.id,
				json: () => t,
				command: Kn(e, void 0, `--section ${t.id}`)
			},
			children: [/* @__PURE__ */ q(Eo, { section: t }), t.findings.length ? /* @__PURE__ */ q("ol", {
				class: "findings",
				children: t.findings.map((e, n) => /* @__PURE__ */ q(Ao, {
					finding: e,
					section: t
				}, n))
			}) : null]
		}) : null, i.map((n) => /* @__PURE__ */ q(No, {
			document: e,
			section: t,
			table: n,
			rows: i.length > 2 ? 12 : 18
		}, n.id))]
	});
}
// src/kit/patterns.tsx
var Fo = {
	compute: "Compute",
	communication: "Exposed communication",
	memory: "Exposed memory",
	idle: "Idle"
};
function Io({ id: e }) {
	return /* @__PURE__ */ q("defs", { children: [
		/* @__PURE__ */ q("pattern", {
			id: `${e}-communication`,
			width: "8",
			height: "8",
			patternUnits: "userSpaceOnUse",
			patternTransform: "rotate(45)",
			children: [/* @__PURE__ */ q("rect", {
				width: "8",
				height: "8",
				fill: "var(--communication)"
			}), /* @__PURE__ */ q("rect", {
				width: "2.5",
				height: "8",
				fill: "var(--surface)",
				"fill-opacity": "0.4"
			})]
		}),
		/* @__PURE__ */ q("pattern", {
			id: `${e}-memory`,
			width: "5",
			height: "5",
			patternUnits: "userSpaceOnUse",
			children: [/* @__PURE__ */ q("rect", {
				width: "5",
				height: "5",
				fill: "var(--memory)"
			}), /* @__PURE__ */ q("rect", {
				width: "1.5",
				height: "5",
				fill: "var(--surface)",
				"fill-opacity": "0.4"
			})]
		}),
		/* @__PURE__ */ q("pattern", {
			id: `${e}-idle`,
			width: "6",
			height: "6",
			patternUnits: "userSpaceOnUse",
			patternTransform: "rotate(-45)",
			children: [/* @__PURE__ */ q("rect", {
				width: "6",
				height: "6",
				fill: "var(--idle)"
			}), /* @__PURE__ */ q("rect", {
				width: "1",
				height: "6",
				fill: "var(--hatch)"
			})]
		})
	] });
}
function Lo(e, t) {
	return e === "communication" || e === "memory" || e === "idle" ? `url(#${t}-${e})` : `var(--${e})`;
}
function Ro({ parts: e, id: t, y: n }) {
	let r = 0;
	return /* @__PURE__ */ q("g", {
		class: "legend",
		"aria-hidden": "true",
		children: e.map(([e, i]) => {
			let a = r;
			return r += 36 + i.length * 6.7, /* @__PURE__ */ q("g", {
				transform: `translate(${a} ${n})`,
				children: [/* @__PURE__ */ q("rect", {
					width: "14",
					height: "10",
					rx: "2",
					y: "1",
					fill: Lo(e, t)
				}), /* @__PURE__ */ q("text", {
					x: "19",
					y: "10",
					children: i
				})]
			}, e);
		})
	});
}
// src/kit/size.ts
function zo(e = 600) {
	let t = R(null), [n, r] = F(e);
	return Te(() => {
		let e = t.current;
		if (!e) return;
		let n = () => r(Math.max(120, Math.floor(e.clientWidth)));
		n();
		let i = new ResizeObserver(n);
		return i.observe(e), () => i.disconnect();
	}, []), [t, n];
}
// src/kit/stack.tsx
var Bo = 20, Vo = 16;
function Ho({ rows: e, label: t, drawing: n, whole: r, own: i }) {
	let [a, o] = zo(), s = Ee(), [c, l] = F(!1), u = c ? e : e.slice(0, Vo), d = Math.min(160, Math.max(...u.map((e) => e.label.length), 1) * 7 + 12), f = Math.max(60, o - d), p = [...new Map(e.flatMap((e) => e.parts.map((e) => [e.part, e.label])))], m = u.length * 28 + 18;
	return /* @__PURE__ */ q("div", {
		ref: a,
		children: [/* @__PURE__ */ q("svg", {
			ref: (e) => {
				n && (n.current = e);
			},
			class: "chart",
			width: o,
			height: m,
			role: "group",
			"aria-label": t,
			onPointerLeave: Xt,
			children: [
				/* @__PURE__ */ q(Io, { id: s }),
				u.map((e, t) => {
					let n = e.parts.reduce((e, t) => e + Math.max(0, t.value), 0), a = r ?? n, o = d;
					return /* @__PURE__ */ q("g", {
						transform: `translate(0 ${t * 28})`,
						children: [
							/* @__PURE__ */ q("text", {
								x: 0,
								y: 14,
								class: "row-label",
								children: e.label.length > 22 ? `${e.label.slice(0, 21)}…` : e.label
							}),
							/* @__PURE__ */ q("rect", {
								x: d,
								width: f,
								height: Bo,
								rx: 4,
								fill: "var(--raised)"
							}),
							e.parts.map((t) => {
								let r = a > 0 ? Math.max(0, t.value) / a * f : 0, c = o;
								if (o += r, r < .25) return null;
								let l = t.value / (i ? n : a) * 100;
								return /* @__PURE__ */ q("g", {
									class: "part",
									role: "button",
									tabIndex: 0,
									"aria-label": `${e.label}, ${t.label}: ${t.text}, ${U(l)}`,
									onPointerMove: (n) => Yt(n, /* @__PURE__ */ q($t, {
										title: e.label,
										lines: [[t.label, t.text], ["Share", U(l)]]
									})),
									onClick: (n) => t.about ? tn(n.currentTarget, t.about()) : e.onClick?.(),
									onKeyDown: (e) => {
										e.key === "Enter" && t.about && tn(e.currentTarget, t.about());
									},
									children: [/* @__PURE__ */ q("rect", {
										x: c,
										width: r,
										height: Bo,
										fill: Lo(t.part, s)
									}), r > 44 ? /* @__PURE__ */ q("text", {
										x: c + r / 2,
										y: 14,
										"text-anchor": "middle",
										class: `on-part ${t.part}`,
										children: U(l)
									}) : null]
								}, t.part);
							})
						]
					}, t);
				}),
				/* @__PURE__ */ q(Ro, {
					parts: p,
					id: s,
					y: m - 14
				})
			]
		}), e.length > Vo ? /* @__PURE__ */ q("p", {
			class: "note",
			children: [
				u.length,
				" of ",
				e.length,
				" bars.",
				" ",
				/* @__PURE__ */ q("button", {
					type: "button",
					class: "link",
					onClick: () => l(!c),
					children: c ? "Show fewer" : "Show all"
				})
			]
		}) : null]
	});
}
// node_modules/d3-array/dist/d3-array.mjs
function Uo(e, t) {
	return e == null || t == null ? NaN : e < t ? -1 : e > t ? 1 : e >= t ? 0 : NaN;
}
function Wo(e, t) {
	return e == null || t == null ? NaN : t < e ? -1 : t > e ? 1 : t >= e ? 0 : NaN;
}
function Go(e) {
	let t, n, r;
	e.length === 2 ? (t = e === Uo || e === Wo ? e : Ko, n = e, r = e) : (t = Uo, n = (t, n) => Uo(e(t), n), r = (t, n) => e(t) - n);
	function i(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) < 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function a(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) <= 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function o(e, t, n = 0, a = e.length) {
		let o = i(e, t, n, a - 1);
		return o > n && r(e[o - 1], t) > -r(e[o], t) ? o - 1 : o;
	}
	return {
		left: i,
		center: o,
		right: a
	};
}
function Ko() {
	return 0;
}
function qo(e) {
	return e === null ? NaN : +e;
}
var Jo = Go(Uo), Yo = Jo.right;
Jo.left, Go(qo).center, Array.prototype.slice;
var Xo = Math.sqrt(50), Zo = Math.sqrt(10), Qo = Math.sqrt(2);
function $o(e, t, n) {
	let r = (t - e) / Math.max(0, n), i = Math.floor(Math.log10(r)), a = r / 10 ** i, o = a >= Xo ? 10 : a >= Zo ? 5 : a >= Qo ? 2 : 1, s, c, l;
	return i < 0 ? (l = 10 ** -i / o, s = Math.round(e * l), c = Math.round(t * l), s / l < e && ++s, c / l > t && --c, l = -l) : (l = 10 ** i * o, s = Math.round(e / l), c = Math.round(t / l), s * l < e && ++s, c * l > t && --c), c < s && .5 <= n && n < 2 ? $o(e, t, n * 2) : [
		s,
		c,
		l
	];
}
function es(e, t, n) {
	if (t = +t, e = +e, n = +n, !(n > 0)) return [];
	if (e === t) return [e];
	let r = t < e, [i, a, o] = r ? $o(t, e, n) : $o(e, t, n);
	if (!(a >= i)) return [];
	let s = a - i + 1, c = Array(s);
	if (r) {
		if (o < 0) for (let e = 0; e < s; ++e) c[e] = (a - e) / -o;
		else for (let e = 0; e < s; ++e) c[e] = (a - e) * o;
	} else if (o < 0) for (let e = 0; e < s; ++e) c[e] = (i + e) / -o;
	else for (let e = 0; e < s; ++e) c[e] = (i + e) * o;
	return c;
}
// node_modules/d3-color/dist/d3-color.mjs
function ts(e, t, n) {
	e.prototype = t.prototype = n, n.constructor = e;
}
function ns(e, t) {
	var n = Object.create(e.prototype);
	for (var r in t) n[r] = t[r];
	return n;
}
function rs() {}
var is = .7, as = 1 / is, os = "\\s*([+-]?\\d+)\\s*", ss = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*", cs = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*", ls = /^#([0-9a-f]{3,8})$/, us = RegExp(`^rgb\\(${os},${os},${os}\\)$`), ds = RegExp(`^rgb\\(${cs},${cs},${cs}\\)$`), fs = RegExp(`^rgba\\(${os},${os},${os},${ss}\\)$`), ps = RegExp(`^rgba\\(${cs},${cs},${cs},${ss}\\)$`), ms = RegExp(`^hsl\\(${ss},${cs},${cs}\\)$`), hs = RegExp(`^hsla\\(${ss},${cs},${cs},${ss}\\)$`), gs = {
	aliceblue: 15792383,
	antiquewhite: 16444375,
	aqua: 65535,
	aquamarine: 8388564,
	azure: 15794175,
	beige: 16119260,
	bisque: 16770244,
	black: 0,
	blanchedalmond: 16772045,
	blue: 255,
	blueviolet: 9055202,
	brown: 10824234,
	burlywood: 14596231,
	cadetblue: 6266528,
	chartreuse: 8388352,
	chocolate: 13789470,
	coral: 16744272,
	cornflowerblue: 6591981,
	cornsilk: 16775388,
	crimson: 14423100,
	cyan: 65535,
	darkblue: 139,
	darkcyan: 35723,
	darkgoldenrod: 12092939,
	darkgray: 11119017,
	darkgreen: 25600,
	darkgrey: 11119017,
	darkkhaki: 12433259,
	darkmagenta: 9109643,
	darkolivegreen: 5597999,
	darkorange: 16747520,
	darkorchid: 10040012,
	darkred: 9109504,
	darksalmon: 15308410,
	darkseagreen: 9419919,
	darkslateblue: 4734347,
	darkslategray: 3100495,
	darkslategrey: 3100495,
	darkturquoise: 52945,
	darkviolet: 9699539,
	deeppink: 16716947,
	deepskyblue: 49151,
	dimgray: 6908265,
	dimgrey: 6908265,
	dodgerblue: 2003199,
	firebrick: 11674146,
	floralwhite: 16775920,
	forestgreen: 2263842,
	fuchsia: 16711935,
	gainsboro: 14474460,
	ghostwhite: 16316671,
	gold: 16766720,
	goldenrod: 14329120,
	gray: 8421504,
	green: 32768,
	greenyellow: 11403055,
	grey: 8421504,
	honeydew: 15794160,
	hotpink: 16738740,
	indianred: 13458524,
	indigo: 4915330,
	ivory: 16777200,
	khaki: 15787660,
	lavender: 15132410,
	lavenderblush: 16773365,
	lawngreen: 8190976,
	lemonchiffon: 16775885,
	lightblue: 11393254,
	lightcoral: 15761536,
	lightcyan: 14745599,
	lightgoldenrodyellow: 16448210,
	lightgray: 13882323,
	lightgreen: 9498256,
	lightgrey: 13882323,
	lightpink: 16758465,
	lightsalmon: 16752762,
	lightseagreen: 2142890,
	lightskyblue: 8900346,
	lightslategray: 7833753,
	lightslategrey: 7833753,
	lightsteelblue: 11584734,
	lightyellow: 16777184,
	lime: 65280,
	limegreen: 3329330,
	linen: 16445670,
	magenta: 16711935,
	maroon: 8388608,
	mediumaquamarine: 6737322,
	mediumblue: 205,
	mediumorchid: 12211667,
	mediumpurple: 9662683,
	mediumseagreen: 3978097,
	mediumslateblue: 8087790,
	mediumspringgreen: 64154,
	mediumturquoise: 4772300,
	mediumvioletred: 13047173,
	midnightblue: 1644912,
	mintcream: 16121850,
	mistyrose: 16770273,
	moccasin: 16770229,
	navajowhite: 16768685,
	navy: 128,
	oldlace: 16643558,
	olive: 8421376,
	olivedrab: 7048739,
	orange: 16753920,
	orangered: 16729344,
	orchid: 14315734,
	palegoldenrod: 15657130,
	palegreen: 10025880,
	paleturquoise: 11529966,
	palevioletred: 14381203,
	papayawhip: 16773077,
	peachpuff: 16767673,
	peru: 13468991,
	pink: 16761035,
	plum: 14524637,
	powderblue: 11591910,
	purple: 8388736,
	rebeccapurple: 6697881,
	red: 16711680,
	rosybrown: 12357519,
	royalblue: 4286945,
	saddlebrown: 9127187,
	salmon: 16416882,
	sandybrown: 16032864,
	seagreen: 3050327,
	seashell: 16774638,
	sienna: 10506797,
	silver: 12632256,
	skyblue: 8900331,
	slateblue: 6970061,
	slategray: 7372944,
	slategrey: 7372944,
	snow: 16775930,
	springgreen: 65407,
	steelblue: 4620980,
	tan: 13808780,
	teal: 32896,
	thistle: 14204888,
	tomato: 16737095,
	turquoise: 4251856,
	violet: 15631086,
	wheat: 16113331,
	white: 16777215,
	whitesmoke: 16119285,
	yellow: 16776960,
	yellowgreen: 10145074
};
ts(rs, xs, {
	copy(e) {
		return Object.assign(new this.constructor(), this, e);
	},
	displayable() {
		return this.rgb().displayable();
	},
	hex: _s,
	formatHex: _s,
	formatHex8: vs,
	formatHsl: ys,
	formatRgb: bs,
	toString: bs
});
function _s() {
	return this.rgb().formatHex();
}
function vs() {
	return this.rgb().formatHex8();
}
function ys() {
	return Ps(this).formatHsl();
}
function bs() {
	return this.rgb().formatRgb();
}
function xs(e) {
	var t, n;
	return e = (e + "").trim().toLowerCase(), (t = ls.exec(e)) ? (n = t[1].length, t = parseInt(t[1], 16), n === 6 ? Ss(t) : n === 3 ? new Es(t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, (t & 15) << 4 | t & 15, 1) : n === 8 ? Cs(t >> 24 & 255, t >> 16 & 255, t >> 8 & 255, (t & 255) / 255) : n === 4 ? Cs(t >> 12 & 15 | t >> 8 & 240, t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, ((t & 15) << 4 | t & 15) / 255) : null) : (t = us.exec(e)) ? new Es(t[1], t[2], t[3], 1) : (t = ds.exec(e)) ? new Es(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, 1) : (t = fs.exec(e)) ? Cs(t[1], t[2], t[3], t[4]) : (t = ps.exec(e)) ? Cs(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, t[4]) : (t = ms.exec(e)) ? Ns(t[1], t[2] / 100, t[3] / 100, 1) : (t = hs.exec(e)) ? Ns(t[1], t[2] / 100, t[3] / 100, t[4]) : gs.hasOwnProperty(e) ? Ss(gs[e]) : e === "transparent" ? new Es(NaN, NaN, NaN, 0) : null;
}
function Ss(e) {
	return new Es(e >> 16 & 255, e >> 8 & 255, e & 255, 1);
}
function Cs(e, t, n, r) {
	return r <= 0 && (e = t = n = NaN), new Es(e, t, n, r);
}
function ws(e) {
	return e instanceof rs || (e = xs(e)), e ? (e = e.rgb(), new Es(e.r, e.g, e.b, e.opacity)) : new Es();
}
function Ts(e, t, n, r) {
	return arguments.length === 1 ? ws(e) : new Es(e, t, n, r ?? 1);
}
function Es(e, t, n, r) {
	this.r = +e, this.g = +t, this.b = +n, this.opacity = +r;
}
ts(Es, Ts, ns(rs, {
	brighter(e) {
		return e = e == null ? as : as ** +e, new Es(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? is : is ** +e, new Es(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	rgb() {
		return this;
	},
	clamp() {
		return new Es(js(this.r), js(this.g), js(this.b), As(this.opacity));
	},
	displayable() {
		return -.5 <= this.r && this.r < 255.5 && -.5 <= this.g && this.g < 255.5 && -.5 <= this.b && this.b < 255.5 && 0 <= this.opacity && this.opacity <= 1;
	},
	hex: Ds,
	formatHex: Ds,
	formatHex8: Os,
	formatRgb: ks,
	toString: ks
}));
function Ds() {
	return `#${Ms(this.r)}${Ms(this.g)}${Ms(this.b)}`;
}
function Os() {
	return `#${Ms(this.r)}${Ms(this.g)}${Ms(this.b)}${Ms((isNaN(this.opacity) ? 1 : this.opacity) * 255)}`;
}
function ks() {
	let e = As(this.opacity);
	return `${e === 1 ? "rgb(" : "rgba("}${js(this.r)}, ${js(this.g)}, ${js(this.b)}${e === 1 ? ")" : `, ${e})`}`;
}
function As(e) {
	return isNaN(e) ? 1 : Math.max(0, Math.min(1, e));
}
function js(e) {
	return Math.max(0, Math.min(255, Math.round(e) || 0));
}
function Ms(e) {
	return e = js(e), (e < 16 ? "0" : "") + e.toString(16);
}
function Ns(e, t, n, r) {
	return r <= 0 ? e = t = n = NaN : n <= 0 || n >= 1 ? e = t = NaN : t <= 0 && (e = NaN), new Is(e, t, n, r);
}
function Ps(e) {
	if (e instanceof Is) return new Is(e.h, e.s, e.l, e.opacity);
	if (e instanceof rs || (e = xs(e)), !e) return new Is();
	if (e instanceof Is) return e;
	e = e.rgb();
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = Math.min(t, n, r), a = Math.max(t, n, r), o = NaN, s = a - i, c = (a + i) / 2;
	return s ? (o = t === a ? (n - r) / s + (n < r) * 6 : n === a ? (r - t) / s + 2 : (t - n) / s + 4, s /= c < .5 ? a + i : 2 - a - i, o *= 60) : s = c > 0 && c < 1 ? 0 : o, new Is(o, s, c, e.opacity);
}
function Fs(e, t, n, r) {
	return arguments.length === 1 ? Ps(e) : new Is(e, t, n, r ?? 1);
}
function Is(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
ts(Is, Fs, ns(rs, {
	brighter(e) {
		return e = e == null ? as : as ** +e, new Is(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? is : is ** +e, new Is(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = this.h % 360 + (this.h < 0) * 360, t = isNaN(e) || isNaN(this.s) ? 0 : this.s, n = this.l, r = n + (n < .5 ? n : 1 - n) * t, i = 2 * n - r;
		return new Es(zs(e >= 240 ? e - 240 : e + 120, i, r), zs(e, i, r), zs(e < 120 ? e + 240 : e - 120, i, r), this.opacity);
	},
	clamp() {
		return new Is(Ls(this.h), Rs(this.s), Rs(this.l), As(this.opacity));
	},
	displayable() {
		return (0 <= this.s && this.s <= 1 || isNaN(this.s)) && 0 <= this.l && this.l <= 1 && 0 <= this.opacity && this.opacity <= 1;
	},
	formatHsl() {
		let e = As(this.opacity);
		return `${e === 1 ? "hsl(" : "hsla("}${Ls(this.h)}, ${Rs(this.s) * 100}%, ${Rs(this.l) * 100}%${e === 1 ? ")" : `, ${e})`}`;
	}
}));
function Ls(e) {
	return e = (e || 0) % 360, e < 0 ? e + 360 : e;
}
function Rs(e) {
	return Math.max(0, Math.min(1, e || 0));
}
function zs(e, t, n) {
	return (e < 60 ? t + (n - t) * e / 60 : e < 180 ? n : e < 240 ? t + (n - t) * (240 - e) / 60 : t) * 255;
}
var Bs = Math.PI / 180, Vs = 180 / Math.PI, Hs = 18, Us = .96422, Ws = 1, Gs = .82521, Ks = 4 / 29, qs = 6 / 29, Js = 3 * qs * qs, Ys = qs * qs * qs;
function Xs(e) {
	if (e instanceof Qs) return new Qs(e.l, e.a, e.b, e.opacity);
	if (e instanceof ac) return oc(e);
	e instanceof Es || (e = ws(e));
	var t = nc(e.r), n = nc(e.g), r = nc(e.b), i = $s((.2225045 * t + .7168786 * n + .0606169 * r) / Ws), a, o;
	return t === n && n === r ? a = o = i : (a = $s((.4360747 * t + .3850649 * n + .1430804 * r) / Us), o = $s((.0139322 * t + .0971045 * n + .7141733 * r) / Gs)), new Qs(116 * i - 16, 500 * (a - i), 200 * (i - o), e.opacity);
}
function Zs(e, t, n, r) {
	return arguments.length === 1 ? Xs(e) : new Qs(e, t, n, r ?? 1);
}
function Qs(e, t, n, r) {
	this.l = +e, this.a = +t, this.b = +n, this.opacity = +r;
}
ts(Qs, Zs, ns(rs, {
	brighter(e) {
		return new Qs(this.l + Hs * (e ?? 1), this.a, this.b, this.opacity);
	},
	darker(e) {
		return new Qs(this.l - Hs * (e ?? 1), this.a, this.b, this.opacity);
	},
	rgb() {
		var e = (this.l + 16) / 116, t = isNaN(this.a) ? e : e + this.a / 500, n = isNaN(this.b) ? e : e - this.b / 200;
		return t = Us * ec(t), e = Ws * ec(e), n = Gs * ec(n), new Es(tc(3.1338561 * t - 1.6168667 * e - .4906146 * n), tc(-.9787684 * t + 1.9161415 * e + .033454 * n), tc(.0719453 * t - .2289914 * e + 1.4052427 * n), this.opacity);
	}
}));
function $s(e) {
	return e > Ys ? e ** (1 / 3) : e / Js + Ks;
}
function ec(e) {
	return e > qs ? e * e * e : Js * (e - Ks);
}
function tc(e) {
	return 255 * (e <= .0031308 ? 12.92 * e : 1.055 * e ** (1 / 2.4) - .055);
}
function nc(e) {
	return (e /= 255) <= .04045 ? e / 12.92 : ((e + .055) / 1.055) ** 2.4;
}
function rc(e) {
	if (e instanceof ac) return new ac(e.h, e.c, e.l, e.opacity);
	if (e instanceof Qs || (e = Xs(e)), e.a === 0 && e.b === 0) return new ac(NaN, 0 < e.l && e.l < 100 ? 0 : NaN, e.l, e.opacity);
	var t = Math.atan2(e.b, e.a) * Vs;
	return new ac(t < 0 ? t + 360 : t, Math.sqrt(e.a * e.a + e.b * e.b), e.l, e.opacity);
}
function ic(e, t, n, r) {
	return arguments.length === 1 ? rc(e) : new ac(e, t, n, r ?? 1);
}
function ac(e, t, n, r) {
	this.h = +e, this.c = +t, this.l = +n, this.opacity = +r;
}
function oc(e) {
	if (isNaN(e.h)) return new Qs(e.l, 0, 0, e.opacity);
	var t = e.h * Bs;
	return new Qs(e.l, Math.cos(t) * e.c, Math.sin(t) * e.c, e.opacity);
}
ts(ac, ic, ns(rs, {
	brighter(e) {
		return new ac(this.h, this.c, this.l + Hs * (e ?? 1), this.opacity);
	},
	darker(e) {
		return new ac(this.h, this.c, this.l - Hs * (e ?? 1), this.opacity);
	},
	rgb() {
		return oc(this).rgb();
	}
}));
var sc = -.14861, cc = 1.78277, lc = -.29227, uc = -.90649, dc = 1.97294, fc = dc * uc, pc = dc * cc, mc = cc * lc - uc * sc;
function hc(e) {
	if (e instanceof _c) return new _c(e.h, e.s, e.l, e.opacity);
	e instanceof Es || (e = ws(e));
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = (mc * r + fc * t - pc * n) / (mc + fc - pc), a = r - i, o = (dc * (n - i) - lc * a) / uc, s = Math.sqrt(o * o + a * a) / (dc * i * (1 - i)), c = s ? Math.atan2(o, a) * Vs - 120 : NaN;
	return new _c(c < 0 ? c + 360 : c, s, i, e.opacity);
}
function gc(e, t, n, r) {
	return arguments.length === 1 ? hc(e) : new _c(e, t, n, r ?? 1);
}
function _c(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
ts(_c, gc, ns(rs, {
	brighter(e) {
		return e = e == null ? as : as ** +e, new _c(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? is : is ** +e, new _c(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = isNaN(this.h) ? 0 : (this.h + 120) * Bs, t = +this.l, n = isNaN(this.s) ? 0 : this.s * t * (1 - t), r = Math.cos(e), i = Math.sin(e);
		return new Es(255 * (t + n * (sc * r + cc * i)), 255 * (t + n * (lc * r + uc * i)), 255 * (t + dc * r * n), this.opacity);
	}
}));
var vc = (e) => () => e;
function yc(e, t) {
	return function(n) {
		return e + n * t;
	};
}
function bc(e, t, n) {
	return e **= +n, t = t ** +n - e, n = 1 / n, function(r) {
		return (e + r * t) ** +n;
	};
}
function xc(e, t) {
	var n = t - e;
	return n ? yc(e, n > 180 || n < -180 ? n - 360 * Math.round(n / 360) : n) : vc(isNaN(e) ? t : e);
}
function Sc(e) {
	return (e = +e) == 1 ? Cc : function(t, n) {
		return n - t ? bc(t, n, e) : vc(isNaN(t) ? n : t);
	};
}
function Cc(e, t) {
	var n = t - e;
	return n ? yc(e, n) : vc(isNaN(e) ? t : e);
}
var wc = (function e(t) {
	var n = Sc(t);
	function r(e, t) {
		var r = n((e = Ts(e)).r, (t = Ts(t)).r), i = n(e.g, t.g), a = n(e.b, t.b), o = Cc(e.opacity, t.opacity);
		return function(t) {
			return e.r = r(t), e.g = i(t), e.b = a(t), e.opacity = o(t), e + "";
		};
	}
	return r.gamma = e, r;
})(1);
function Tc(e, t) {
	t ||= [];
	var n = e ? Math.min(t.length, e.length) : 0, r = t.slice(), i;
	return function(a) {
		for (i = 0; i < n; ++i) r[i] = e[i] * (1 - a) + t[i] * a;
		return r;
	};
}
function Ec(e) {
	return ArrayBuffer.isView(e) && !(e instanceof DataView);
}
function Dc(e, t) {
	for (var n = t ? t.length : 0, r = e ? Math.min(n, e.length) : 0, i = Array(r), a = Array(n), o = 0; o < r; ++o) i[o] = Ic(e[o], t[o]);
	for (; o < n; ++o) a[o] = t[o];
	return function(e) {
		for (o = 0; o < r; ++o) a[o] = i[o](e);
		return a;
	};
}
function Oc(e, t) {
	var n = /* @__PURE__ */ new Date();
	return e = +e, t = +t, function(r) {
		return n.setTime(e * (1 - r) + t * r), n;
	};
}
function kc(e, t) {
	return e = +e, t = +t, function(n) {
		return e * (1 - n) + t * n;
	};
}
function Ac(e, t) {
	var n = {}, r = {}, i;
	for (i in typeof e == "object" && e || (e = {}), typeof t == "object" && t || (t = {}), t) i in e ? n[i] = Ic(e[i], t[i]) : r[i] = t[i];
	return function(e) {
		for (i in n) r[i] = n[i](e);
		return r;
	};
}
var jc = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g, Mc = new RegExp(jc.source, "g");
function Nc(e) {
	return function() {
		return e;
	};
}
function Pc(e) {
	return function(t) {
		return e(t) + "";
	};
}
function Fc(e, t) {
	var n = jc.lastIndex = Mc.lastIndex = 0, r, i, a, o = -1, s = [], c = [];
	for (e += "", t += ""; (r = jc.exec(e)) && (i = Mc.exec(t));) (a = i.index) > n && (a = t.slice(n, a), s[o] ? s[o] += a : s[++o] = a), (r = r[0]) === (i = i[0]) ? s[o] ? s[o] += i : s[++o] = i : (s[++o] = null, c.push({
		i: o,
		x: kc(r, i)
	})), n = Mc.lastIndex;
	return n < t.length && (a = t.slice(n), s[o] ? s[o] += a : s[++o] = a), s.length < 2 ? c[0] ? Pc(c[0].x) : Nc(t) : (t = c.length, function(e) {
		for (var n = 0, r; n < t; ++n) s[(r = c[n]).i] = r.x(e);
		return s.join("");
	});
}
function Ic(e, t) {
	var n = typeof t, r;
	return t == null || n === "boolean" ? vc(t) : (n === "number" ? kc : n === "string" ? (r = xs(t)) ? (t = r, wc) : Fc : t instanceof xs ? wc : t instanceof Date ? Oc : Ec(t) ? Tc : Array.isArray(t) ? Dc : typeof t.valueOf != "function" && typeof t.toString != "function" || isNaN(t) ? Ac : kc)(e, t);
}
function Lc(e, t) {
	return e = +e, t = +t, function(n) {
		return Math.round(e * (1 - n) + t * n);
	};
}
var Rc = 1e-12;
function zc(e) {
	return ((e = Math.exp(e)) + 1 / e) / 2;
}
function Bc(e) {
	return ((e = Math.exp(e)) - 1 / e) / 2;
}
function Vc(e) {
	return ((e = Math.exp(2 * e)) - 1) / (e + 1);
}
(function e(t, n, r) {
	function i(e, i) {
		var a = e[0], o = e[1], s = e[2], c = i[0], l = i[1], u = i[2], d = c - a, f = l - o, p = d * d + f * f, m, h;
		if (p < Rc) h = Math.log(u / s) / t, m = function(e) {
			return [
				a + e * d,
				o + e * f,
				s * Math.exp(t * e * h)
			];
		};
		else {
			var g = Math.sqrt(p), _ = (u * u - s * s + r * p) / (2 * s * n * g), v = (u * u - s * s - r * p) / (2 * u * n * g), y = Math.log(Math.sqrt(_ * _ + 1) - _);
			h = (Math.log(Math.sqrt(v * v + 1) - v) - y) / t, m = function(e) {
				var r = e * h, i = zc(y), c = s / (n * g) * (i * Vc(t * r + y) - Bc(y));
				return [
					a + c * d,
					o + c * f,
					s * i / zc(t * r + y)
				];
			};
		}
		return m.duration = Math.abs(h) * 1e3 * t / Math.SQRT2, m;
	}
	return i.rho = function(t) {
		var n = Math.max(.001, +t), r = n * n;
		return e(n, r, r * r);
	}, i;
})(Math.SQRT2, 2, 4);
function Hc(e) {
	return (function t(n) {
		n = +n;
		function r(t, r) {
			var i = e((t = gc(t)).h, (r = gc(r)).h), a = Cc(t.s, r.s), o = Cc(t.l, r.l), s = Cc(t.opacity, r.opacity);
			return function(e) {
				return t.h = i(e), t.s = a(e), t.l = o(e ** +n), t.opacity = s(e), t + "";
			};
		}
		return r.gamma = t, r;
	})(1);
}
Hc(xc), Hc(Cc);
// node_modules/d3-format/dist/d3-format.mjs
function Uc(e) {
	return Math.abs(e = Math.round(e)) >= 1e21 ? e.toLocaleString("en").replace(/,/g, "") : e.toString(10);
}
function Wc(e, t) {
	if (!isFinite(e) || e === 0) return null;
	var n = (e = t ? e.toExponential(t - 1) : e.toExponential()).indexOf("e"), r = e.slice(0, n);
	return [r.length > 1 ? r[0] + r.slice(2) : r, +e.slice(n + 1)];
}
function Gc(e) {
	return e = Wc(Math.abs(e)), e ? e[1] : NaN;
}
function Kc(e, t) {
	return function(n, r) {
		for (var i = n.length, a = [], o = 0, s = e[0], c = 0; i > 0 && s > 0 && (c + s + 1 > r && (s = Math.max(1, r - c)), a.push(n.substring(i -= s, i + s)), !((c += s + 1) > r));) s = e[o = (o + 1) % e.length];
		return a.reverse().join(t);
	};
}
function qc(e) {
	return function(t) {
		return t.replace(/[0-9]/g, function(t) {
			return e[+t];
		});
	};
}
var Jc = /^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;
function Yc(e) {
	if (!(t = Jc.exec(e))) throw Error("invalid format: " + e);
	var t;
	return new Xc({
		fill: t[1],
		align: t[2],
		sign: t[3],
		symbol: t[4],
		zero: t[5],
		width: t[6],
		comma: t[7],
		precision: t[8] && t[8].slice(1),
		trim: t[9],
		type: t[10]
	});
}
Yc.prototype = Xc.prototype;
function Xc(e) {
	this.fill = e.fill === void 0 ? " " : e.fill + "", this.align = e.align === void 0 ? ">" : e.align + "", this.sign = e.sign === void 0 ? "-" : e.sign + "", this.symbol = e.symbol === void 0 ? "" : e.symbol + "", this.zero = !!e.zero, this.width = e.width === void 0 ? void 0 : +e.width, this.comma = !!e.comma, this.precision = e.precision === void 0 ? void 0 : +e.precision, this.trim = !!e.trim, this.type = e.type === void 0 ? "" : e.type + "";
}
Xc.prototype.toString = function() {
	return this.fill + this.align + this.sign + this.symbol + (this.zero ? "0" : "") + (this.width === void 0 ? "" : Math.max(1, this.width | 0)) + (this.comma ? "," : "") + (this.precision === void 0 ? "" : "." + Math.max(0, this.precision | 0)) + (this.trim ? "~" : "") + this.type;
};
function Zc(e) {
	out: for (var t = e.length, n = 1, r = -1, i; n < t; ++n) switch (e[n]) {
		case ".":
			r = i = n;
			break;
		case "0":
			r === 0 && (r = n), i = n;
			break;
		default:
			if (!+e[n]) break out;
			r > 0 && (r = 0);
	}
	return r > 0 ? e.slice(0, r) + e.slice(i + 1) : e;
}
var Qc;
function $c(e, t) {
	var n = Wc(e, t);
	if (!n) return Qc = void 0, e.toPrecision(t);
	var r = n[0], i = n[1], a = i - (Qc = Math.max(-8, Math.min(8, Math.floor(i / 3))) * 3) + 1, o = r.length;
	return a === o ? r : a > o ? r + Array(a - o + 1).join("0") : a > 0 ? r.slice(0, a) + "." + r.slice(a) : "0." + Array(1 - a).join("0") + Wc(e, Math.max(0, t + a - 1))[0];
}
function el(e, t) {
	var n = Wc(e, t);
	if (!n) return e + "";
	var r = n[0], i = n[1];
	return i < 0 ? "0." + Array(-i).join("0") + r : r.length > i + 1 ? r.slice(0, i + 1) + "." + r.slice(i + 1) : r + Array(i - r.length + 2).join("0");
}
var tl = {
	"%": (e, t) => (e * 100).toFixed(t),
	b: (e) => Math.round(e).toString(2),
	c: (e) => e + "",
	d: Uc,
	e: (e, t) => e.toExponential(t),
	f: (e, t) => e.toFixed(t),
	g: (e, t) => e.toPrecision(t),
	o: (e) => Math.round(e).toString(8),
	p: (e, t) => el(e * 100, t),
	r: el,
	s: $c,
	X: (e) => Math.round(e).toString(16).toUpperCase(),
	x: (e) => Math.round(e).toString(16)
};
function nl(e) {
	return e;
}
var rl = Array.prototype.map, il = [
	"y",
	"z",
	"a",
	"f",
	"p",
	"n",
	"µ",
	"m",
	"",
	"k",
	"M",
	"G",
	"T",
	"P",
	"E",
	"Z",
	"Y"
];
function al(e) {
	var t = e.grouping === void 0 || e.thousands === void 0 ? nl : Kc(rl.call(e.grouping, Number), e.thousands + ""), n = e.currency === void 0 ? "" : e.currency[0] + "", r = e.currency === void 0 ? "" : e.currency[1] + "", i = e.decimal === void 0 ? "." : e.decimal + "", a = e.numerals === void 0 ? nl : qc(rl.call(e.numerals, String)), o = e.percent === void 0 ? "%" : e.percent + "", s = e.minus === void 0 ? "−" : e.minus + "", c = e.nan === void 0 ? "NaN" : e.nan + "";
	function l(e, l) {
		e = Yc(e);
		var u = e.fill, d = e.align, f = e.sign, p = e.symbol, m = e.zero, h = e.width, g = e.comma, _ = e.precision, v = e.trim, y = e.type;
		y === "n" ? (g = !0, y = "g") : tl[y] || (_ === void 0 && (_ = 12), v = !0, y = "g"), (m || u === "0" && d === "=") && (m = !0, u = "0", d = "=");
		var b = (l && l.prefix !== void 0 ? l.prefix : "") + (p === "$" ? n : p === "#" && /[boxX]/.test(y) ? "0" + y.toLowerCase() : ""), x = (p === "$" ? r : /[%p]/.test(y) ? o : "") + (l && l.suffix !== void 0 ? l.suffix : ""), S = tl[y], C = /[defgprs%]/.test(y);
		_ = _ === void 0 ? 6 : /[gprs]/.test(y) ? Math.max(1, Math.min(21, _)) : Math.max(0, Math.min(20, _));
		function w(e) {
			var n = b, r = x, o, l, p;
			if (y === "c") r = S(e) + r, e = "";
			else {
				e = +e;
				var w = e < 0 || 1 / e < 0;
				if (e = isNaN(e) ? c : S(Math.abs(e), _), v && (e = Zc(e)), w && +e == 0 && f !== "+" && (w = !1), n = (w ? f === "(" ? f : s : f === "-" || f === "(" ? "" : f) + n, r = (y === "s" && !isNaN(e) && Qc !== void 0 ? il[8 + Qc / 3] : "") + r + (w && f === "(" ? ")" : ""), C) {
					for (o = -1, l = e.length; ++o < l;) if (p = e.charCodeAt(o), 48 > p || p > 57) {
						r = (p === 46 ? i + e.slice(o + 1) : e.slice(o)) + r, e = e.slice(0, o);
						break;
					}
				}
			}
			g && !m && (e = t(e, Infinity));
			var T = n.length + e.length + r.length, E = T < h ? Array(h - T + 1).join(u) : "";
			switch (g && m && (e = t(E + e, E.length ? h - r.length : Infinity), E = ""), d) {
				case "<":
					e = n + e + r + E;
					break;
				case "=":
					e = n + E + e + r;
					break;
				case "^":
					e = E.slice(0, T = E.length >> 1) + n + e + r + E.slice(T);
					break;
				default: e = E + n + e + r;
			}
			return a(e);
		}
		return w.toString = function() {
			return e + "";
		}, w;
	}
	function u(e, t) {
		var n = Math.max(-8, Math.min(8, Math.floor(Gc(t) / 3))) * 3, r = 10 ** -n, i = l((e = Yc(e), e.type = "f", e), { suffix: il[8 + n / 3] });
		return function(e) {
			return i(r * e);
		};
	}
	return {
		format: l,
		formatPrefix: u
	};
}
var ol, sl;
cl({
	thousands: ",",
	grouping: [3],
	currency: ["$", ""]
});
function cl(e) {
	return ol = al(e), sl = ol.format, ol.formatPrefix, ol;
}
// node_modules/d3-scale/dist/d3-scale.mjs
function ll(e, t) {
	switch (arguments.length) {
		case 0: break;
		case 1:
			this.range(e);
			break;
		default: this.range(t).domain(e);
	}
	return this;
}
function ul(e) {
	return function() {
		return e;
	};
}
function dl(e) {
	return +e;
}
var fl = [0, 1];
function pl(e) {
	return e;
}
function ml(e, t) {
	return (t -= e = +e) ? function(n) {
		return (n - e) / t;
	} : ul(isNaN(t) ? NaN : .5);
}
function hl(e, t) {
	var n;
	return e > t && (n = e, e = t, t = n), function(n) {
		return Math.max(e, Math.min(t, n));
	};
}
function gl(e, t, n) {
	var r = e[0], i = e[1], a = t[0], o = t[1];
	return i < r ? (r = ml(i, r), a = n(o, a)) : (r = ml(r, i), a = n(a, o)), function(e) {
		return a(r(e));
	};
}
function _l(e, t, n) {
	var r = Math.min(e.length, t.length) - 1, i = Array(r), a = Array(r), o = -1;
	for (e[r] < e[0] && (e = e.slice().reverse(), t = t.slice().reverse()); ++o < r;) i[o] = ml(e[o], e[o + 1]), a[o] = n(t[o], t[o + 1]);
	return function(t) {
		var n = Yo(e, t, 1, r) - 1;
		return a[n](i[n](t));
	};
}
function vl(e, t) {
	return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown());
}
function yl() {
	var e = fl, t = fl, n = Ic, r, i, a, o = pl, s, c, l;
	function u() {
		var n = Math.min(e.length, t.length);
		return o !== pl && (o = hl(e[0], e[n - 1])), s = n > 2 ? _l : gl, c = l = null, d;
	}
	function d(i) {
		return i == null || isNaN(i = +i) ? a : (c ||= s(e.map(r), t, n))(r(o(i)));
	}
	return d.invert = function(n) {
		return o(i((l ||= s(t, e.map(r), kc))(n)));
	}, d.domain = function(t) {
		return arguments.length ? (e = Array.from(t, dl), u()) : e.slice();
	}, d.range = function(e) {
		return arguments.length ? (t = Array.from(e), u()) : t.slice();
	}, d.rangeRound = function(e) {
		return t = Array.from(e), n = Lc, u();
	}, d.clamp = function(e) {
		return arguments.length ? (o = e ? !0 : pl, u()) : o !== pl;
	}, d.interpolate = function(e) {
		return arguments.length ? (n = e, u()) : n;
	}, d.unknown = function(e) {
		return arguments.length ? (a = e, d) : a;
	}, function(e, t) {
		return r = e, i = t, u();
	};
}
function bl(e, t) {
	e = e.slice();
	var n = 0, r = e.length - 1, i = e[n], a = e[r], o;
	return a < i && (o = n, n = r, r = o, o = i, i = a, a = o), e[n] = t.floor(i), e[r] = t.ceil(a), e;
}
function xl(e) {
	return Math.log(e);
}
function Sl(e) {
	return Math.exp(e);
}
function Cl(e) {
	return -Math.log(-e);
}
function wl(e) {
	return -Math.exp(-e);
}
function Tl(e) {
	return isFinite(e) ? +("1e" + e) : e < 0 ? 0 : e;
}
function El(e) {
	return e === 10 ? Tl : e === Math.E ? Math.exp : (t) => e ** +t;
}
function Dl(e) {
	return e === Math.E ? Math.log : e === 10 && Math.log10 || e === 2 && Math.log2 || (e = Math.log(e), (t) => Math.log(t) / e);
}
function Ol(e) {
	return (t, n) => -e(-t, n);
}
function kl(e) {
	let t = e(xl, Sl), n = t.domain, r = 10, i, a;
	function o() {
		return i = Dl(r), a = El(r), n()[0] < 0 ? (i = Ol(i), a = Ol(a), e(Cl, wl)) : e(xl, Sl), t;
	}
	return t.base = function(e) {
		return arguments.length ? (r = +e, o()) : r;
	}, t.domain = function(e) {
		return arguments.length ? (n(e), o()) : n();
	}, t.ticks = (e) => {
		let t = n(), o = t[0], s = t[t.length - 1], c = s < o;
		c && ([o, s] = [s, o]);
		let l = i(o), u = i(s), d, f, p = e == null ? 10 : +e, m = [];
		if (!(r % 1) && u - l < p) {
			if (l = Math.floor(l), u = Math.ceil(u), o > 0) {
				for (; l <= u; ++l) for (d = 1; d < r; ++d) if (f = l < 0 ? d / a(-l) : d * a(l), !(f < o)) {
					if (f > s) break;
					m.push(f);
				}
			} else for (; l <= u; ++l) for (d = r - 1; d >= 1; --d) if (f = l > 0 ? d / a(-l) : d * a(l), !(f < o)) {
				if (f > s) break;
				m.push(f);
			}
			m.length * 2 < p && (m = es(o, s, p));
		} else m = es(l, u, Math.min(u - l, p)).map(a);
		return c ? m.reverse() : m;
	}, t.tickFormat = (e, n) => {
		if (e ??= 10, n ??= r === 10 ? "s" : ",", typeof n != "function" && (!(r % 1) && (n = Yc(n)).precision == null && (n.trim = !0), n = sl(n)), e === Infinity) return n;
		let o = Math.max(1, r * e / t.ticks().length);
		return (e) => {
			let t = e / a(Math.round(i(e)));
			return t * r < r - .5 && (t *= r), t <= o ? n(e) : "";
		};
	}, t.nice = () => n(bl(n(), {
		floor: (e) => a(Math.floor(i(e))),
		ceil: (e) => a(Math.ceil(i(e)))
	})), t;
}
function Al() {
	let e = kl(yl()).domain([1, 10]);
	return e.copy = () => vl(e, Al()).base(e.base()), ll.apply(e, arguments), e;
}
// src/views/communication/points.ts
var jl = (e, t) => typeof e[t] == "string" && e[t] !== "" ? String(e[t]) : null, Ml = (e, t) => typeof e[t] == "number" ? Number(e[t]) : null;
function Nl(e, t, n) {
	let [, r, i] = /^(.*?)(?: \((.*)\))?$/.exec(t) ?? [];
	return e.find((e) => e.kind === r && e.bytes === n && (i === void 0 || String(e.group) === i));
}
function Pl(e) {
	let t = Mt(e, "collectives", "by_collective"), n = Mt(e, "comm-roofline", "events");
	return (n.length ? n : Mt(e, "collectives", "skew")).flatMap((e) => {
		let n = jl(e, "name") ?? `${e.kind} (${e.group})`, r = Ml(e, "bytes"), i = Ml(e, "achieved_gbps") ?? Ml(e, "bus_gbps");
		if (!r || !i || r <= 0 || i <= 0) return [];
		let a = Nl(t, n, r);
		return [{
			name: n,
			bytes: r,
			gbps: i,
			calls: Ml(e, "calls") ?? Ml(e, "collectives") ?? 0,
			time: Ml(e, "time_ns") ?? (Ml(e, "mean_transfer_ns") ?? 0) * (Ml(e, "collectives") ?? 0),
			factor: Ml(e, "bus_factor") ?? (a ? Ml(a, "bus_factor") : null),
			exposed: a ? Ml(a, "exposed_pct") : null,
			link: jl(e, "matched_link") ?? jl(e, "link"),
			utilisation: Ml(e, "utilisation_pct"),
			flag: jl(e, "flag")
		}];
	});
}
function Fl(e) {
	return Mt(e, "comm-roofline", "links").flatMap((e) => {
		let t = Ml(e, "total_gbps");
		return !t || t <= 0 ? [] : [{
			name: String(e.name),
			wire: t,
			protocol: Ml(e, "protocol_gbps"),
			protocolName: jl(e, "protocol"),
			source: jl(e, "source"),
			confidence: jl(e, "confidence")
		}];
	});
}
function Il(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e) n.factor !== null && t.set(n.name, n.factor);
	return [...t].map(([e, t]) => `${e} × ${t.toFixed(2)}`);
}
// src/views/communication/roofs.tsx
var Ll = 300, Rl = 58, zl = 14, Bl = 12;
function Vl(e, t, n) {
	let r = [];
	for (let i = Math.floor(Math.log(e) / Math.log(n)); n ** i <= t * 1.0001; i++) n ** i >= e * .9999 && r.push(n ** i);
	return r;
}
function Hl({ document: e }) {
	let t = R(null), [n, r] = zo(900), i = Pl(e), a = Fl(e);
	if (i.length === 0) return null;
	let o = Il(i), s = W(e, "comm-roofline"), c = (s ?? W(e, "collectives"))?.tables.find((e) => e.id === (s ? "events" : "skew")), l = Al([Math.min(...i.map((e) => e.bytes)) / 4, Math.max(...i.map((e) => e.bytes)) * 4], [Rl, r - zl]), u = [...i.map((e) => e.gbps), ...a.map((e) => e.wire)], d = Al([Math.min(...u) / 2.5, Math.max(...u) * 2], [260, Bl]), [f = 1, p = 1] = l.domain(), [m = 1, h = 1] = d.domain(), g = Vl(f, p, 4).filter((e, t, n) => t % Math.ceil(n.length / (r / 90)) === 0);
	return /* @__PURE__ */ q(X, {
		title: "Communication roofline",
		note: `Bus bandwidth as nccl-tests defines it: bytes over time, times a factor of the collective${o.length ? ` (${o.slice(0, 6).join(", ")})` : ""}. ${a.length ? "Lines are what the wires of a link carry, dashed what its protocol leaves for data." : "The document names no links: `eaves roofline TRACE --device NAME --link LINK` draws their roofs."}`,
		exports: {
			name: "comm-roofline",
			svg: () => t.current,
			...c ? { table: () => c } : {},
			command: Kn(e, "roofline")
		},
		children: /* @__PURE__ */ q("div", {
			ref: n,
			children: /* @__PURE__ */ q("svg", {
				ref: t,
				class: "chart",
				width: r,
				height: Ll,
				role: "group",
				"aria-label": "Bus bandwidth by message size",
				onPointerLeave: Xt,
				children: [
					g.map((e) => /* @__PURE__ */ q("g", {
						transform: `translate(${l(e)} 0)`,
						children: [/* @__PURE__ */ q("line", {
							class: "grid",
							y1: Bl,
							y2: 260
						}), /* @__PURE__ */ q("text", {
							class: "tick",
							y: 275,
							"text-anchor": "middle",
							children: H(e).replace(".0", "")
						})]
					}, e)),
					Vl(m, h, 10).map((e) => /* @__PURE__ */ q("g", {
						transform: `translate(0 ${d(e)})`,
						children: [/* @__PURE__ */ q("line", {
							class: "grid",
							x1: Rl,
							x2: r - zl
						}), /* @__PURE__ */ q("text", {
							class: "tick",
							x: 52,
							y: 4,
							"text-anchor": "end",
							children: e >= 1 ? bt(e) : String(e)
						})]
					}, e)),
					/* @__PURE__ */ q("line", {
						class: "axis",
						x1: Rl,
						x2: r - zl,
						y1: 260,
						y2: 260
					}),
					/* @__PURE__ */ q("text", {
						class: "title",
						x: (Rl + r - zl) / 2,
						y: 294,
						"text-anchor": "middle",
						children: "bytes of a message"
					}),
					/* @__PURE__ */ q("text", {
						class: "title",
						transform: "translate(13 136) rotate(-90)",
						"text-anchor": "middle",
						children: "bus bandwidth, GB/s"
					}),
					a.map((e, t) => /* @__PURE__ */ q(Wl, {
						roof: e,
						at: t,
						y: d,
						width: r,
						shift: Ul(e, a, d)
					}, e.name)),
					i.map((e, t) => /* @__PURE__ */ q(Gl, {
						one: e,
						x: l(e.bytes),
						y: d(e.gbps),
						most: Math.max(...i.map((e) => e.time))
					}, t))
				]
			})
		})
	});
}
function Ul(e, t, n) {
	return t.filter((t) => t !== e && t.wire >= e.wire && Math.abs(n(t.wire) - n(e.wire)) < 18).filter((n) => n.wire > e.wire || t.indexOf(n) < t.indexOf(e)).length;
}
function Wl({ roof: e, at: t, y: n, width: r, shift: i }) {
	let a = `var(--c${t % 7 + 1})`, o = (t) => tn(t, {
		title: `${e.name}, in one direction`,
		text: `${xt(e.wire)} GB/s`,
		formula: `${e.source ?? ""}${e.confidence ? ` (confidence: ${e.confidence})` : ""}`,
		inputs: e.protocol === null ? [] : [[`after ${e.protocolName ?? "the protocol"}`, `${xt(e.protocol)} GB/s`]],
		provenance: "datasheet",
		section: "comm-roofline",
		table: "links"
	});
	return /* @__PURE__ */ q("g", {
		class: "roof",
		role: "button",
		tabIndex: 0,
		"aria-label": `${e.name} ${xt(e.wire)} GB/s, explain`,
		onClick: (e) => o(e.currentTarget),
		onKeyDown: (e) => e.key === "Enter" && o(e.currentTarget),
		children: [
			/* @__PURE__ */ q("line", {
				x1: Rl,
				x2: r - zl,
				y1: n(e.wire),
				y2: n(e.wire),
				stroke: a,
				"stroke-width": 2
			}),
			e.protocol === null ? null : /* @__PURE__ */ q("line", {
				x1: Rl,
				x2: r - zl,
				y1: n(e.protocol),
				y2: n(e.protocol),
				stroke: a,
				"stroke-width": 1.5,
				"stroke-dasharray": "6 4"
			}),
			/* @__PURE__ */ q("text", {
				x: 66 + i * 190,
				y: n(e.wire) - 5,
				style: { fill: a },
				children: [
					e.name,
					" ",
					xt(e.wire),
					" GB/s"
				]
			})
		]
	});
}
function Gl({ one: e, x: t, y: n, most: r }) {
	let i = 5 + 7 * Math.sqrt(r > 0 ? e.time / r : 0), a = It.value.has(e.name), o = 2 * Math.PI * (i + 3);
	return /* @__PURE__ */ q("g", {
		role: "button",
		tabIndex: 0,
		"aria-pressed": a,
		"aria-label": `${e.name}, ${H(e.bytes)}, ${xt(e.gbps)} GB/s`,
		onClick: () => Bt(a ? [] : [e.name]),
		onKeyDown: (t) => t.key === "Enter" && Bt(a ? [] : [e.name]),
		onPointerMove: (t) => Yt(t, /* @__PURE__ */ q($t, {
			title: Li(e.name, 60),
			lines: [
				["Message", H(e.bytes)],
				["Bus bandwidth", `${xt(e.gbps)} GB/s`],
				["Factor used", e.factor === null ? "not known" : xt(e.factor)],
				["Of the wire", e.utilisation === null ? "no link known" : U(e.utilisation)],
				["Exposed", e.exposed === null ? "not known" : U(e.exposed)],
				["Calls", bt(e.calls)],
				["Time", V(e.time)],
				...e.flag ? [["Note", e.flag]] : []
			]
		})),
		children: [e.exposed === null ? null : /* @__PURE__ */ q("circle", {
			cx: t,
			cy: n,
			r: i + 3,
			fill: "none",
			stroke: "var(--communication)",
			"stroke-width": 2.5,
			"stroke-dasharray": `${o * e.exposed / 100} ${o}`,
			transform: `rotate(-90 ${t} ${n})`
		}), /* @__PURE__ */ q("circle", {
			cx: t,
			cy: n,
			r: i,
			fill: a ? "var(--selected-line)" : "var(--c1)",
			"fill-opacity": .75,
			stroke: "var(--surface)"
		})]
	});
}
// src/views/communication/index.tsx
var Kl = [
	"comm-overlap",
	"collectives",
	"stragglers",
	"comm-roofline"
], ql = [
	{
		id: "collectives",
		title: "Collectives",
		section: "collectives",
		tables: ["by_collective", "matching"]
	},
	{
		id: "skew",
		title: "Skew and transfer",
		section: "collectives",
		tables: ["skew"]
	},
	{
		id: "stragglers",
		title: "Who waits for whom",
		section: "stragglers",
		tables: ["by_rank", "by_step"]
	},
	{
		id: "ranks",
		title: "By rank",
		section: "collectives",
		tables: ["by_rank"]
	},
	{
		id: "messages",
		title: "Against the links",
		section: "comm-roofline",
		tables: ["events", "links"]
	}
];
function Jl({ document: e }) {
	let t = ql.filter((t) => W(e, t.section)), n = t.find((e) => e.id === Mo("communication.part", t)), r = n && W(e, n.section), i = Kl.flatMap((t) => {
		let n = W(e, t);
		return n ? n.findings.map((e) => ({
			finding: e,
			section: n
		})) : [];
	});
	return /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q("div", {
			class: "columns",
			children: [/* @__PURE__ */ q(Yl, {
				document: e,
				section: "comm-overlap",
				title: "Hidden behind computation",
				parts: [[
					"overlapped_ns",
					"compute",
					"Hidden"
				], [
					"exposed_ns",
					"communication",
					"Exposed"
				]]
			}), /* @__PURE__ */ q(Yl, {
				document: e,
				section: "collectives",
				title: "Waiting and transfer",
				parts: [[
					"transfer_ns",
					"c1",
					"Transfer"
				], [
					"wait_ns",
					"idle",
					"Waiting for other ranks"
				]]
			})]
		}),
		/* @__PURE__ */ q(Hl, { document: e }),
		i.length ? /* @__PURE__ */ q(X, {
			title: "What to do",
			children: /* @__PURE__ */ q("ol", {
				class: "findings",
				children: i.map((e, t) => /* @__PURE__ */ q(Ao, {
					finding: e.finding,
					section: e.section
				}, t))
			})
		}) : null,
		/* @__PURE__ */ q(jo, {
			id: "communication.part",
			tabs: t,
			label: "Tables of communication"
		}),
		r ? /* @__PURE__ */ q(Eo, { section: r }) : null,
		r && n ? n.tables.map((t) => {
			let n = r.tables.find((e) => e.id === t);
			return n ? /* @__PURE__ */ q(No, {
				document: e,
				section: r,
				table: n,
				rows: 12
			}, t) : null;
		}) : null
	] });
}
function Yl({ document: e, section: t, title: n, parts: r }) {
	let i = R(null), a = W(e, t), o = a?.tables.find((e) => e.id === "by_rank");
	if (!a || !o) return null;
	let s = (e) => o.columns.findIndex((t) => t.id === e), c = Rt.value, l = o.rows.filter((e) => c === null || e[s("rank")] === c).map((e) => ({
		label: Nt({
			index: 0,
			rank: e[s("rank")] ?? null,
			input: e[s("input")] ?? null
		}),
		parts: r.map(([t, n, r]) => {
			let i = Number(e[s(t)] ?? 0);
			return {
				part: n,
				label: r,
				value: i,
				text: V(i),
				about: () => Y(o, e, s(t), a)
			};
		})
	})), u = Math.max(1, ...l.map((e) => e.parts.reduce((e, t) => e + t.value, 0)));
	return /* @__PURE__ */ q(X, {
		title: n,
		note: `${a.title}: one scale, the longest bar is ${V(u)}.`,
		exports: {
			name: t,
			svg: () => i.current,
			table: () => o,
			command: Kn(e, void 0, `--section ${t}`)
		},
		children: /* @__PURE__ */ q(Ho, {
			rows: l,
			label: n,
			drawing: i,
			whole: u,
			own: !0
		})
	});
}
var Xl = {
	id: "communication",
	title: "Communication",
	missing({ document: e }) {
		if (Kl.some((t) => W(e, t))) return;
		let t = e.skipped.find((e) => Kl.includes(e.id));
		return t ? `${t.missing}. ${t.how_to_record}` : "No rank communicated in what was recorded. Traces of all ranks of a job show collectives: `eaves report traces/`.";
	},
	Component: Jl
}, Zl = 26;
function Ql({ document: e }) {
	let t = R(null), [n, r] = zo(900), i = W(e, "diff"), a = i?.tables.find((e) => e.id === "summary");
	if (!i || !a) return null;
	let o = (e) => a.columns.findIndex((t) => t.id === e), s = a.rows.filter((e) => typeof e[o("delta_pct")] == "number"), c = 150 + (r - 150 - 190) / 2, l = Math.max(40, (r - 150 - 190) / 2 - 8), u = Math.max(1, ...s.map((e) => Math.max(Math.abs(Number(e[o("delta_pct")])), Number(e[o("band_pct")] ?? 0)))), d = l / Math.min(u, 100), f = (e) => Math.max(-l, Math.min(l, e * d)), p = s.length * Zl + 24;
	return /* @__PURE__ */ q(X, {
		title: "The runs in sum",
		note: "Bars are changes in percent of the base; the grey band is what repeated steps differ by themselves, so a bar inside it says nothing.",
		exports: {
			name: "changes",
			svg: () => t.current,
			table: () => a,
			command: Kn(e, "diff")
		},
		children: /* @__PURE__ */ q("div", {
			ref: n,
			children: /* @__PURE__ */ q("svg", {
				ref: t,
				class: "chart",
				width: r,
				height: p,
				role: "group",
				"aria-label": "Changes in percent",
				onPointerLeave: Xt,
				children: [
					/* @__PURE__ */ q("line", {
						class: "axis",
						x1: c,
						x2: c,
						y1: 0,
						y2: p - 22
					}),
					s.map((e, t) => {
						let n = Number(e[o("delta_pct")]), s = typeof e[o("band_pct")] == "number" ? Number(e[o("band_pct")]) : null, l = Dt(e[o("verdict")]), d = f(n), p = (t) => tn(t, Y(a, e, o("delta_pct"), i)), m = `${Et(n, {
							id: "delta_pct",
							unit: "%"
						})} (${Et(e[o("delta_ns")], {
							id: "delta_ns",
							unit: "ns"
						})})`;
						return /* @__PURE__ */ q("g", {
							transform: `translate(0 ${t * Zl})`,
							role: "button",
							tabIndex: 0,
							"aria-label": `${At(String(e[o("metric")]))} ${m} ${e[o("verdict")]}`,
							onClick: (e) => p(e.currentTarget),
							onKeyDown: (e) => e.key === "Enter" && p(e.currentTarget),
							onPointerMove: (t) => Yt(t, /* @__PURE__ */ q($t, {
								title: At(String(e[o("metric")])),
								lines: [
									["Base", V(Number(e[o("base_ns")]))],
									["New", V(Number(e[o("new_ns")]))],
									["Change", m],
									["Noise", s === null ? "not known" : `±${U(s)}`],
									["Verdict", String(e[o("verdict")])]
								]
							})),
							children: [
								/* @__PURE__ */ q("rect", {
									x: 0,
									width: r,
									height: Zl,
									fill: "transparent"
								}),
								/* @__PURE__ */ q("text", {
									x: 0,
									y: 17,
									children: At(String(e[o("metric")]))
								}),
								s === null ? null : /* @__PURE__ */ q("rect", {
									x: c + f(-s),
									width: f(s) - f(-s),
									y: 3,
									height: 20,
									fill: "var(--idle)",
									opacity: .6
								}),
								/* @__PURE__ */ q("rect", {
									x: c + Math.min(0, d),
									width: Math.max(1, Math.abs(d)),
									y: 7,
									height: 12,
									rx: 2,
									fill: l === "better" ? "var(--better)" : l === "worse" ? "var(--worse)" : "var(--strong-line)"
								}),
								Math.abs(n) > Math.min(u, 100) ? /* @__PURE__ */ q("text", {
									x: c + d + (d < 0 ? -4 : 4),
									y: 17,
									"text-anchor": d < 0 ? "end" : "start",
									"aria-hidden": "true",
									children: d < 0 ? "«" : "»"
								}) : null,
								/* @__PURE__ */ q("text", {
									x: r - 190 + 8,
									y: 17,
									class: l,
									children: [
										m,
										" ",
										e[o("verdict")]
									]
								})
							]
						}, t);
					}),
					/* @__PURE__ */ q("text", {
						class: "tick",
						x: c,
						y: p - 6,
						"text-anchor": "middle",
						children: "0"
					}),
					/* @__PURE__ */ q("text", {
						class: "tick",
						x: c - l,
						y: p - 6,
						"text-anchor": "middle",
						children: ["-", U(Math.min(u, 100))]
					}),
					/* @__PURE__ */ q("text", {
						class: "tick",
						x: c + l,
						y: p - 6,
						"text-anchor": "middle",
						children: ["+", U(Math.min(u, 100))]
					})
				]
			})
		})
	});
}
// src/runs.ts
var $l = B([]);
async function eu(e) {
	e.live && ($l.value = await e.ask("runs"));
}
function tu(e) {
	let t = new URLSearchParams(location.search);
	t.set("run", e), location.assign(`${location.pathname}?${t}${location.hash}`);
}
// src/views/compare/picker.tsx
var nu = B({});
function ru({ source: e }) {
	let t = G("compare.base"), n = G("compare.new");
	if (L(() => {
		eu(e).catch((e) => nu.value = { problem: e instanceof Error ? e.message : String(e) });
	}, [e]), L(() => {
		if (!t || !n || t === n) {
			nu.value = {};
			return;
		}
		let r = !0;
		return e.ask(`runs/${encodeURIComponent(n)}/diff?base=${encodeURIComponent(t)}`).then((e) => r && (nu.value = { document: e })).catch((e) => r && (nu.value = { problem: e instanceof Error ? e.message : String(e) })), () => {
			r = !1;
		};
	}, [
		e,
		t,
		n
	]), $l.value.length < 2 && !nu.value.problem) return /* @__PURE__ */ q(tr, { children: "The server has one run. Open another one to compare with: start `eaves open` with both." });
	let r = (e, t, n) => /* @__PURE__ */ q("label", { children: [
		n,
		" ",
		/* @__PURE__ */ q("select", {
			value: t,
			onChange: (t) => K(e, t.currentTarget.value || null),
			children: [/* @__PURE__ */ q("option", {
				value: "",
				children: "choose a run"
			}), $l.value.map((e) => /* @__PURE__ */ q("option", {
				value: e.id,
				children: e.title
			}, e.id))]
		})
	] });
	return /* @__PURE__ */ q("div", {
		class: "quick",
		children: [
			r("compare.base", t, "Base"),
			r("compare.new", n, "New"),
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				disabled: !t && !n,
				onClick: () => {
					K("compare.base", n || null), K("compare.new", t || null);
				},
				children: "Swap"
			})
		]
	});
}
// src/views/compare/index.tsx
function iu({ source: e, document: t }) {
	let n = W(t, "diff") ? { document: t } : nu.value, r = n.document && W(n.document, "diff");
	return /* @__PURE__ */ q(x, { children: [
		e.live ? /* @__PURE__ */ q(ru, { source: e }) : null,
		"problem" in n && n.problem ? /* @__PURE__ */ q(tr, { children: ["These runs cannot be compared: ", n.problem] }) : null,
		n.document && r ? /* @__PURE__ */ q(au, { document: n.document }) : null
	] });
}
function au({ document: e }) {
	let t = W(e, "diff");
	if (!t) return null;
	let n = t.tables.filter((e) => e.id !== "summary").toSorted((e, t) => Number(t.id === "kernels") - Number(e.id === "kernels") || Number(e.id === "counts") - Number(t.id === "counts")).map((e) => ({
		id: e.id,
		title: `${e.id[0]?.toUpperCase()}${e.id.slice(1)} (${e.rows.length})`
	})), r = Mo("compare.table", n), i = t.tables.find((e) => e.id === r), a = (t) => e.inputs.filter((e) => e.role === t).map((e) => e.path), [o, s] = [a("base"), a("new")], c = `diff.${r}.filter`, l = G(c);
	return /* @__PURE__ */ q(x, { children: [
		o.length || s.length ? /* @__PURE__ */ q("p", {
			class: "sides",
			children: [
				/* @__PURE__ */ q("span", {
					class: "label info",
					children: "base"
				}),
				/* @__PURE__ */ q("code", {
					title: o.join("\n"),
					children: o[0]
				}),
				o.length > 1 ? ` and ${o.length - 1} more` : "",
				" ",
				/* @__PURE__ */ q("span", {
					class: "label warning",
					children: "new"
				}),
				/* @__PURE__ */ q("code", {
					title: s.join("\n"),
					children: s[0]
				}),
				s.length > 1 ? ` and ${s.length - 1} more` : ""
			]
		}) : null,
		t.findings.length ? /* @__PURE__ */ q(X, {
			title: "What changed",
			children: /* @__PURE__ */ q("ol", {
				class: "findings",
				children: t.findings.map((e, n) => /* @__PURE__ */ q(Ao, {
					finding: e,
					section: t
				}, n))
			})
		}) : null,
		/* @__PURE__ */ q(Eo, { section: t }),
		/* @__PURE__ */ q(Ql, { document: e }),
		/* @__PURE__ */ q(jo, {
			id: "compare.table",
			tabs: n,
			label: "Tables of changes"
		}),
		i ? /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q("div", {
			class: "quick",
			role: "group",
			"aria-label": "Quick filters",
			children: [
				["", "All"],
				["-noise -unchanged", "Beyond noise"],
				["verdict:slower", "Slower"],
				["verdict:faster", "Faster"],
				["verdict:added", "Only in new"],
				["verdict:removed", "Only in base"]
			].map(([e, t]) => /* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				"aria-pressed": l === e,
				onClick: () => K(c, e || null),
				children: t
			}, t))
		}), /* @__PURE__ */ q(No, {
			document: e,
			section: t,
			table: i,
			rows: 16
		})] }) : null
	] });
}
var ou = {
	id: "compare",
	title: "Compare",
	missing: ({ source: e, document: t }) => e.live || W(t, "diff") ? void 0 : "This page holds one run. `eaves diff BEFORE AFTER -o diff.html` compares two; pages and JSON that eaves wrote are inputs, too.",
	Component: iu
}, su = [
	"graph-breaks",
	"recompiles",
	"compile-time",
	"fusion",
	"compile-stacks",
	"compile-ranks"
];
function cu({ document: e }) {
	let t = su.flatMap((t) => {
		let n = W(e, t), r = n?.findings.length ? ` (${n.findings.length})` : "";
		return n ? [{
			id: t,
			title: `${n.title}${r}`
		}] : [];
	}), n = Mo("compile.part", t), r = n ? W(e, n) : void 0;
	return /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q(lu, { document: e }),
		/* @__PURE__ */ q(jo, {
			id: "compile.part",
			tabs: t,
			label: "What the compiler did"
		}),
		r ? /* @__PURE__ */ q(Po, {
			document: e,
			section: r
		}, r.id) : null
	] });
}
function lu({ document: e }) {
	let t = R(null), n = W(e, "compile-time"), r = n?.tables.find((e) => e.id === "phases");
	if (!n || !r || r.rows.length === 0) return null;
	let i = (e) => r.columns.findIndex((t) => t.id === e), a = r.rows.map((e, t) => {
		let a = Number(e[i("time_ns")] ?? 0);
		return {
			part: `c${t % 8 + 1}`,
			label: String(e[i("phase")]),
			value: a,
			text: V(a),
			about: () => Y(r, e, i("time_ns"), n)
		};
	});
	return /* @__PURE__ */ q(X, {
		title: "Where the time of compiling went",
		note: r.title,
		exports: {
			name: "compile-phases",
			svg: () => t.current,
			table: () => r,
			command: Kn(e, "compile")
		},
		children: /* @__PURE__ */ q(Ho, {
			rows: [{
				label: "all",
				parts: a
			}],
			label: "Phases of compiling",
			drawing: t
		})
	});
}
var uu = {
	id: "compile",
	title: "Compile",
	missing: ({ document: e }) => su.some((t) => W(e, t)) ? void 0 : "No log of torch.compile is among the inputs. `eaves compile -- python train.py` runs a program and tells; `TORCH_TRACE=DIR` writes logs that every verb reads.",
	Component: cu
}, du = [
	[
		"peaks",
		"peak",
		"rate_gflops",
		"GFLOP/s",
		""
	],
	[
		"memory",
		"id",
		"bandwidth_gbps",
		"GB/s",
		" bandwidth"
	],
	[
		"memory",
		"id",
		"size_bytes",
		"B",
		" size"
	],
	[
		"links",
		"kind",
		"total_gbps",
		"GB/s",
		" link"
	]
];
function fu(e) {
	let t = [{
		id: "name",
		title: "Device",
		unit: null
	}], n = [];
	for (let r of e) {
		let e = [r.id];
		for (let [n, i, a, o, s] of du) for (let c of Mt(r.document, "devices", n)) {
			if (typeof c[a] != "number") continue;
			let r = n === "peaks" && c.kind !== "dense" && typeof c.kind == "string", l = `${String(c[i]).replaceAll("_", " ")}${s}${r ? ` ${String(c.kind)}` : ""}`, u = `${l.replaceAll(/\W+/g, "_")}_${a}`, d = t.findIndex((e) => e.id === u);
			d < 0 && (d = t.push({
				id: u,
				title: l,
				unit: o
			}) - 1), e[d] = c[a];
		}
		n.push(e);
	}
	return {
		id: "beside",
		title: "Devices side by side",
		columns: t,
		rows: n.map((e) => t.map((t, n) => e[n] ?? null))
	};
}
// src/views/devices/catalogue.tsx
var pu = B(null), mu = B({}), hu = B(null), gu = 6;
function _u(e) {
	hu.value = e instanceof Error ? e.message : String(e);
}
function vu({ source: e }) {
	L(() => {
		e.ask("devices").then((e) => pu.value = e).catch(_u);
	}, [e]);
	let t = G("devices.compare").split(",").filter(Boolean).slice(0, gu);
	L(() => {
		for (let n of t) mu.value[n] || e.ask(`devices/${encodeURIComponent(n)}`).then((e) => mu.value = {
			...mu.value,
			[n]: e
		}).catch(_u);
	}, [e, t.join()]);
	let n = pu.value && W(pu.value, "devices"), r = n?.tables.find((e) => e.id === "devices"), i = z(() => r?.rows.map((e) => String(e[r.columns.findIndex((e) => e.id === "id")])) ?? [], [r]), a = z(() => fu(t.flatMap((e) => mu.value[e] ? [{
		id: e,
		document: mu.value[e]
	}] : [])), [t.join(), mu.value]);
	if (hu.value) return /* @__PURE__ */ q(tr, { children: ["The catalogue of devices cannot be read: ", hu.value] });
	if (!pu.value || !n || !r) return /* @__PURE__ */ q(tr, { children: "Asking for the catalogue of devices…" });
	let o = (e) => K("devices.compare", e.length ? e.join(",") : null);
	return /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q(X, {
		title: "Side by side",
		note: `Up to ${gu} devices; a column for each peak, memory and link.`,
		exports: a.rows.length ? {
			name: "devices",
			table: () => a
		} : void 0,
		children: [/* @__PURE__ */ q("div", {
			class: "quick",
			children: [/* @__PURE__ */ q("label", { children: [
				"Add",
				" ",
				/* @__PURE__ */ q("select", {
					value: "",
					onChange: (e) => o([...t, e.currentTarget.value]),
					disabled: t.length >= gu,
					children: [/* @__PURE__ */ q("option", {
						value: "",
						children: "choose a device"
					}), i.filter((e) => !t.includes(e)).map((e) => /* @__PURE__ */ q("option", {
						value: e,
						children: e
					}, e))]
				})
			] }), t.map((e) => /* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				onClick: () => o(t.filter((t) => t !== e)),
				"aria-label": `Take ${e} away`,
				children: [e, " ×"]
			}, e))]
		}), a.rows.length ? /* @__PURE__ */ q(ro, {
			id: "devices.beside",
			table: a,
			rows: gu,
			bare: !0
		}) : null]
	}), /* @__PURE__ */ q(No, {
		document: pu.value,
		section: n,
		table: r,
		rows: 16
	})] });
}
// src/views/devices/roofs.ts
var yu = [{
	id: "bandwidth_gbps",
	title: "Bandwidth",
	unit: "GB/s",
	of: ["byte"]
}, {
	id: "rate_gflops",
	title: "Operations",
	unit: "GFLOP/s",
	of: ["flop", "op"]
}];
function bu(e) {
	let [t, n] = ["rate", "counts"].map((t) => e.columns.findIndex((e) => e.id === t));
	if (t < 0 || n < 0 || e.rows.some((e) => !yu.some((t) => t.of.includes(e[n] ?? null)))) return e;
	let r = e.columns.map((e, t) => t).filter((e) => e !== t && e !== n), i = r.filter((e) => e < t), a = r.filter((e) => e > t), o = (e, t) => [
		...i.map((t) => e[t]),
		...t,
		...a.map((t) => e[t])
	];
	return {
		...e,
		columns: o(e.columns, yu.map(({ id: e, title: t, unit: n }) => ({
			id: e,
			title: t,
			unit: n
		}))),
		rows: e.rows.map((e) => o(e, yu.map((r) => r.of.includes(e[n] ?? null) ? e[t] ?? null : null)))
	};
}
// src/views/devices/index.tsx
var xu = [
	["roofline", "roofs"],
	["comm-roofline", "links"],
	["devices", "properties"],
	["devices", "peaks"],
	["devices", "memory"],
	["devices", "links"],
	["devices", "sources"],
	["devices", "devices"]
];
function Su({ source: e, document: t }) {
	let n = W(t, "roofline"), r = xu.flatMap(([e, n]) => {
		let r = W(t, e), i = r?.tables.find((e) => e.id === n);
		return r && i ? [{
			section: r,
			table: n === "roofs" ? bu(i) : i
		}] : [];
	});
	return /* @__PURE__ */ q(x, { children: [
		n ? /* @__PURE__ */ q(Eo, {
			section: n,
			ids: [
				"device",
				"assessed_pct",
				"above_roof"
			]
		}) : null,
		r.map(({ section: e, table: n }) => /* @__PURE__ */ q(No, {
			document: t,
			section: e,
			table: n,
			rows: 14
		}, `${e.id}/${n.id}`)),
		e.live ? /* @__PURE__ */ q(vu, { source: e }) : r.length ? /* @__PURE__ */ q(tr, { children: "`eaves open FILE` shows every device that is known, and compares them." }) : null
	] });
}
var Cu = {
	id: "devices",
	title: "Devices",
	missing: ({ source: e, document: t }) => e.live || xu.some(([e, n]) => W(t, e)?.tables.some((e) => e.id === n)) ? void 0 : "The document names no device. `eaves roofline TRACE --device h100-sxm` holds kernels against one; `eaves device list` shows all.",
	Component: Su
};
// src/kit/canvas.ts
function wu(e) {
	let t = {};
	for (let n of e) t[n] = Rn(n) || "#888888";
	return t;
}
function Tu(e) {
	let t = e.length === 4 ? e.replace(/[\da-f]/gi, "$&$&") : e, n = Number.parseInt(t.slice(1, 7), 16) || 0;
	return [
		n >> 16,
		n >> 8 & 255,
		n & 255
	];
}
function Eu(e, t, n) {
	let r = e.getContext("2d");
	if (!r || t < 1 || n < 1) return null;
	let i = devicePixelRatio || 1, [a, o] = [Math.round(t * i), Math.round(n * i)];
	return (e.width !== a || e.height !== o) && (e.width = a, e.height = o), r.setTransform(i, 0, 0, i, 0, 0), {
		canvas: e,
		context: r,
		width: t,
		height: n,
		ratio: i
	};
}
function Du(e) {
	let t = 0;
	return Object.assign(() => {
		t ||= requestAnimationFrame(() => {
			t = 0, e();
		});
	}, { cancel() {
		cancelAnimationFrame(t), t = 0;
	} });
}
function Ou(e) {
	let t = R(null), n = R(e);
	return n.current = e, L(() => {
		let e = t.current;
		if (!e) return;
		let r = new ResizeObserver(() => n.current(e.clientWidth, e.clientHeight));
		return r.observe(e), n.current(e.clientWidth, e.clientHeight), () => r.disconnect();
	}, []), t;
}
function ku(e, t, n) {
	let r = Math.floor(t / n);
	return e.length <= r ? e : r > 3 ? `${e.slice(0, r - 1)}…` : "";
}
function Au(e) {
	return 1.03 * e.measureText("ampere_bf16_s16816gemm_ReduceOp<BFloat16, func>").width / 47;
}
function ju(e, t, n) {
	let r = (t - e) / Math.max(1, n);
	if (!(r > 0) || !Number.isFinite(r)) return {
		step: 1,
		at: []
	};
	let i = 10 ** Math.floor(Math.log10(r)), a = r / i;
	i *= a > 5 ? 10 : a > 2 ? 5 : a > 1 ? 2 : 1;
	let o = [];
	for (let n = Math.ceil(e / i); n * i <= t; n++) o.push(n * i);
	return {
		step: i,
		at: o
	};
}
// src/kit/viewport.ts
var Mu = 100, Nu = 400, Pu = class {
	#e = B({
		from: 0,
		to: 1
	});
	#t = {
		from: 0,
		to: 1
	};
	#n = [];
	#r = -Infinity;
	#i;
	#a;
	width = 1;
	constructor(e, t = {}) {
		this.#i = t.least ?? 1, this.#a = t.slack ?? 0, this.extend(e), this.#e.value = this.#t;
	}
	get span() {
		return this.#e;
	}
	get from() {
		return this.#e.value.from;
	}
	get to() {
		return this.#e.value.to;
	}
	get length() {
		return this.to - this.from;
	}
	get whole() {
		return this.#t;
	}
	get isWhole() {
		return this.from <= this.#t.from && this.to >= this.#t.to;
	}
	extend(e) {
		this.#t = {
			from: e.from,
			to: Math.max(e.to, e.from + this.#i)
		};
	}
	set(e, t, n = performance.now()) {
		let r = this.limited(e, t);
		(r.from !== this.from || r.to !== this.to) && (n - this.#r > Nu && (this.#n.push(this.#e.value), this.#n.length > Mu && this.#n.shift()), this.#r = n, this.#e.value = r);
	}
	limited(e, t) {
		if (!Number.isFinite(e) || !Number.isFinite(t)) return this.#e.value;
		let { from: n, to: r } = this.#t, i = (r - n) * this.#a, a = Math.min(Math.max(t - e, this.#i), r - n + 2 * i), o = Math.max(r + i - a, n - i), s = Math.min(Math.max(e, n - i), o);
		return {
			from: s,
			to: s + a
		};
	}
	zoom(e, t = this.width / 2) {
		let n = this.toAxis(t);
		this.set(n - (n - this.from) * e, n + (this.to - n) * e);
	}
	moveBy(e) {
		let t = Math.round(e) * this.length / this.width;
		this.set(this.from + t, this.to + t);
	}
	move(e) {
		this.moveBy(e * this.width);
	}
	fit() {
		this.set(this.#t.from, this.#t.to);
	}
	focus(e, t = .2) {
		let n = Math.max(this.#i, (e.to - e.from) * t), r = this.limited(e.from - n, e.to + n);
		Math.abs(r.from - this.from) + Math.abs(r.to - this.to) < 1e-9 * this.length ? this.fit() : this.set(r.from, r.to);
	}
	undo() {
		let e = this.#n.pop();
		return e ? (this.#r = -Infinity, this.#e.value = this.limited(e.from, e.to), !0) : !1;
	}
	toPixel(e) {
		return (e - this.from) / this.length * this.width;
	}
	toAxis(e) {
		return this.from + e / this.width * this.length;
	}
};
function Fu(e, t, n) {
	switch (t.length === 1 ? t.toLowerCase() : t) {
		case "w":
		case "+": return e.zoom(.7, n), !0;
		case "s":
		case "-": return e.zoom(1 / .7, n), !0;
		case "a":
		case "ArrowLeft": return e.move(-.15), !0;
		case "d":
		case "ArrowRight": return e.move(.15), !0;
		case "u": return e.undo();
		case "0": return e.fit(), !0;
		default: return !1;
	}
}
function Iu(e, t, n) {
	t.shiftKey || Math.abs(t.deltaX) > Math.abs(t.deltaY) ? e.moveBy(t.shiftKey && t.deltaY || t.deltaX) : e.zoom(Math.exp(Math.max(-1, Math.min(1, t.deltaY / 400))), n);
}
// src/views/flame/data.ts
function Lu(e, t) {
	let n = e.slice();
	for (let e = n.length - 1; e > 0; e--) n[t[e]] += n[e];
	return n;
}
function Ru(e) {
	let t = e.level.length, n = Int32Array.from(e.level), r = new Int32Array(t), i = new Int32Array(t), a = new Float64Array(t), o = [];
	for (let s = 0; s < t; s++) {
		let t = Math.min(n[s], o.length);
		for (; o.length > t;) i[o.pop()] = s;
		r[s] = t ? o[t - 1] : -1, e.time && s > 0 && (a[s] = a[r[s]] + e.start[s]), o.push(s);
	}
	for (; o.length;) i[o.pop()] = t;
	let s = e.own.map((e) => Float64Array.from(e)), c = (e.base[0]?.length ?? 0) > 0;
	return {
		id: e.id,
		count: t,
		time: e.time,
		inverted: e.inverted,
		notes: e.notes,
		level: n,
		name: Int32Array.from(e.name),
		kind: Uint8Array.from(e.kind),
		parent: r,
		end: i,
		start: a,
		own: s,
		total: s.map((e) => Lu(e, r)),
		base: c ? e.base.map((e) => Lu(Float64Array.from(e), r)) : [],
		grouped: new Map(e.grouped)
	};
}
function zu(e) {
	let t = JSON.parse(new TextDecoder().decode(e));
	if (!Array.isArray(t.views) || !Array.isArray(t.names)) throw Error("the data of the flame graph is of another version of eaves");
	return t;
}
// src/kit/lod.ts
function Bu(e) {
	return {
		slice: new Int32Array(e).fill(-1),
		cover: new Float32Array(e)
	};
}
var Vu = 4, Hu = 16, Uu = 32, Wu = class {
	#e;
	#t;
	#n;
	#r = [];
	constructor(e) {
		this.#e = e;
		let { start: t, end: n, busy: r } = e, i = t.length;
		this.#t = new Float64Array(i + 1), this.#n = new Float64Array(i);
		let a = 0;
		for (let e = 0; e < i; e++) this.#t[e + 1] = a += r[e], this.#n[e] = n[e] - t[e];
		for (let e = i, t = 0; e > Hu; t++) {
			e = e + Hu - 1 >> Vu;
			let n = this.#r[t - 1], r = new Uint32Array(e), a = n ? n.length : i;
			for (let t = 0; t < e; t++) {
				let e = -1, i = -1, o = Math.min(a, t + 1 << Vu);
				for (let r = t << Vu; r < o; r++) {
					let t = n ? n[r] : r;
					this.#n[t] > i && (i = this.#n[t], e = t);
				}
				r[t] = e;
			}
			this.#r.push(r);
		}
	}
	get spans() {
		return this.#e;
	}
	after(e, t, n) {
		let { start: r, end: i } = this.#e, a = e, o = t;
		for (; a < o;) {
			let e = a + o >>> 1;
			i[e] > n || r[e] >= n ? o = e : a = e + 1;
		}
		return a;
	}
	#i(e, t, n) {
		let { start: r, end: i } = this.#e, a = 1, o = e;
		for (; o < t && i[o] <= n && r[o] < n;) o += a, a <<= 1;
		return a === 1 ? o : this.after(o - (a >> 1) + 1, Math.min(o, t), n);
	}
	longest(e, t) {
		let n = this.#n, r = -1, i = -1, a = e, o = t;
		for (let e = 0; a < o; e++) {
			let t = e === 0 ? null : this.#r[e - 1], s = e >= this.#r.length || o - a <= Hu, c = s ? o : Math.min(o, a + Hu - 1 & -16), l = s ? o : Math.max(c, o & -16);
			for (let e = a; e < o && (e === c && (e = l), !(e >= o)); e++) {
				let a = t ? t[e] : e, o = n[a];
				(o > i || o === i && a < r) && (i = o, r = a);
			}
			if (s) break;
			a = c >> Vu, o = l >> Vu;
		}
		return r;
	}
	#a(e, t, n) {
		let { start: r, end: i, busy: a } = this.#e, o = e < t && r[e] < n ? a[e] * (n - r[e]) / (i[e] - r[e]) : 0;
		return this.#t[e] + o;
	}
	busy(e, t, n, r) {
		let [i, a] = [this.after(e, t, n), this.after(e, t, r)];
		return this.#a(a, t, r) - this.#a(i, t, n);
	}
	draw(e, t, n, r, i, a, o) {
		let { start: s, end: c, busy: l } = this.#e, { slice: u, cover: d } = o, f = this.#n, p = this.after(e, t, n + i * r), m = this.#a(p, t, n + i * r), h = i;
		for (; h < a;) {
			if (p >= t) {
				u.fill(-1, h, a), d.fill(0, h, a);
				return;
			}
			let e = n + h * r, i = n + (h + 1) * r, o = s[p];
			if (o >= i) {
				let e = Math.max(h + 1, Math.min(a, Math.floor((o - n) / r)));
				u.fill(-1, h, e), d.fill(0, h, e), h = e, m = this.#t[p];
				continue;
			}
			let g = c[p];
			if (o <= e && g > i) {
				let e = Math.max(h + 1, Math.min(a, Math.floor((g - n) / r)));
				u.fill(p, h, e), d.fill(l[p] / (g - o), h, e), h = e, p = this.#i(p, t, n + h * r), m = this.#a(p, t, n + h * r);
				continue;
			}
			let _ = Math.min(t, p + Uu), v = p, y = p, b = -1;
			for (; v < _ && c[v] <= i && s[v] < i;) f[v] > b && (b = f[v], y = v), v++;
			let x = v === _ && _ < t;
			x && (v = this.#i(_, t, i));
			let S = this.#a(v, t, i), C = v < t && s[v] < i ? v + 1 : v;
			x ? y = this.longest(p, C) : C > v && f[v] > b && (y = v), u[h] = y, d[h] = Math.min(1, (S - m) / r), p = v, m = S, h++;
		}
	}
};
// src/views/flame/layout.ts
function Gu(e, t, n) {
	let r = e.total[t], i = e.base[t];
	return !i || n === "new" ? r : n === "base" ? i : r.map((e, t) => e + i[t]);
}
function Ku(e, t, n, r, i) {
	i.length = 0;
	for (let n = t + 1; n < e.end[t]; n = e.end[n]) i.push(n);
	if (!e.time && i.length > 1) {
		let t = (t) => Number(e.kind[t] === r);
		i.sort((e, r) => t(e) - t(r) || n[r] - n[e] || e - r);
	}
	return i;
}
function qu(e, t) {
	let n = e.start.slice(), r = new Uint8Array(e.count);
	r[0] = 1;
	for (let t = 1; t < e.count; t++) e.kind[t] === 0 && (r[e.parent[t]] = 1);
	for (let i = e.count - 1; i >= 0; i--) {
		if (e.kind[i] !== 0) continue;
		let [a, o, s] = [
			0,
			Infinity,
			-Infinity
		];
		for (let r = i + 1; r < e.end[i]; r = e.end[r]) t[r] > 0 && (a += t[r], o = Math.min(o, n[r]), s = Math.max(s, n[r] + t[r]));
		r[i] ? t[i] = a : a === 0 ? t[i] = 0 : (n[i] = o, t[i] = s - o);
	}
	return {
		begin: n,
		beside: r
	};
}
function Ju(e, t, n, r, i) {
	let a = Gu(e, t, n).slice(), o = new Float64Array(e.count), s = e.time && t === r ? qu(e, a) : null, c = new Int32Array(e.count), l = new Int32Array(e.count).fill(-1), u = [0], d = 0, f = (e) => {
		l[e] = d, c[d++] = e;
	};
	e.count > 0 && a[0] > 0 && f(0);
	let p = [];
	for (let t = 0; t < d;) {
		let n = d;
		u.push(n);
		for (let r = t; r < n; r++) {
			let t = c[r], n = o[t], l = !s || s.beside[t] === 1;
			for (let r of Ku(e, t, a, i, p)) o[r] = l ? n : o[t] + Math.max(0, s.begin[r] - s.begin[t]), n += a[r], a[r] > 0 && f(r);
		}
		t = n;
	}
	let m = c.subarray(0, d), h = Float64Array.from(m, (e) => o[e]), g = Float64Array.from(m, (e) => a[e]), _ = h.map((e, t) => e + g[t]);
	return {
		tree: e,
		left: o,
		width: a,
		frames: m,
		levels: Int32Array.from(u),
		place: l,
		lod: new Wu({
			start: h,
			end: _,
			busy: g
		})
	};
}
function Yu(e) {
	return e.levels.length - 1;
}
function Xu(e, t, n) {
	if (t < 0 || t >= Yu(e)) return -1;
	let [r, i] = [e.levels[t], e.levels[t + 1]], a = e.lod.after(r, i, n);
	return a < i && e.lod.spans.start[a] <= n ? e.frames[a] : -1;
}
function Zu(e, t, n) {
	let { tree: r, width: i } = e, [a, o, s] = [
		0,
		0,
		0
	];
	for (let e = t; e < r.end[t]; e++) i[e] > 0 && n(r.name[e]) && (a++, e < s || (o += i[e], s = r.end[e]));
	return {
		frames: a,
		sum: o
	};
}
var Qu = 1, $u = 4, ed = "11.5px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace", td = 24, nd = "#111111";
function rd(e, t, n) {
	let r = Math.max(t, n), i = r > 0 ? (t - n) / r : 0;
	return e.find((e) => i <= e.most) ?? e.at(-1);
}
function id(e) {
	let t = (e) => {
		let [t, n, r] = Tu(e);
		return (r << 16 | n << 8 | t) >>> 0;
	}, { data: n, dark: r, metric: i } = e;
	if (!e.isDifference) {
		let e = n.kinds.map((e) => ({
			texel: t(r ? e.dark : e.light),
			text: nd
		})), i = {
			texel: 8947848,
			text: nd
		};
		return { of: ({ tree: t }, n) => e[t.kind[n]] ?? i };
	}
	let a = new Map(n.changes.map((e) => [e, {
		texel: t(e.fill),
		text: e.text
	}])), o = {
		texel: 14277081,
		text: nd
	};
	return { of: ({ tree: e }, t) => a.get(rd(n.changes, e.total[i][t], e.base[i]?.[t] ?? 0)) ?? o };
}
function ad(e, t, n) {
	return e !== null && e.layout === t && n < e.frame && t.tree.end[n] > e.frame;
}
function od(e, t, n) {
	let { context: r, width: i, height: a, ratio: o, viewport: s, rows: c, top: l } = e;
	r.fillStyle = e.theme.surface, r.fillRect(0, 0, i, a);
	let [u, d] = [Math.floor(l / 20), Math.min(c.length, Math.ceil((l + a) / 20))];
	if (d <= u) return;
	let f = Math.max(1, Math.round(i * o)), p = s.length / f, m = new ImageData(f, d - u), h = new Uint32Array(m.data.buffer), g = Bu(f), _ = id(e), v = [];
	for (let t = u; t < d; t++) {
		let { layout: n, level: r } = c[t];
		n.lod.draw(n.levels[r], n.levels[r + 1], s.from, p, 0, f, g), sd(e, n, g, h.subarray((t - u) * f, (t - u + 1) * f), _, t * 20 - l, v);
	}
	(t.width < f || t.height < d - u) && (t.width = Math.max(t.width, f), t.height = Math.max(t.height, d - u)), t.getContext("2d")?.putImageData(m, 0, 0), r.imageSmoothingEnabled = !1, r.drawImage(t, 0, 0, f, d - u, 0, u * 20 - l, i, (d - u) * 20), r.fillStyle = e.theme.surface;
	for (let e = u; e < d; e++) r.fillRect(0, (e + 1) * 20 - l - Qu, i, Qu);
	cd(e, v, _), n.chosen && n.hasFocus && ld(e, n.chosen, 2.5), n.hover && ld(e, n.hover, 1.25);
}
function sd(e, t, { slice: n, cover: r }, i, a, o, s) {
	let { matches: c, marked: l, focused: u, ratio: d } = e, f = td * d;
	for (let e = 0; e < n.length;) {
		let p = n[e], m = e + 1;
		for (; m < n.length && n[m] === p;) m++;
		if (p >= 0) {
			let n = t.frames[p], h = t.tree.name[n], g = c && !c[h] ? .25 : ad(u, t, n) ? .6 : 1, { texel: _ } = a.of(t, n);
			for (let t = e; t < m; t++) i[t] = _ | Math.min(255, 255 * g * (.4 + .6 * r[t])) << 24;
			m - e > 3 && (i[m - 1] = _ | 90 * g << 24), (m - e >= f || l?.[h] && m - e > 1) && s.push({
				layout: t,
				frame: n,
				from: e / d,
				to: m / d,
				y: o
			});
		}
		e = m;
	}
}
function cd(e, t, n) {
	let { context: r, data: i, matches: a, marked: o, dark: s, theme: c } = e;
	r.font = ed, r.textBaseline = "middle";
	let l = r.measureText("M").width;
	for (let { layout: e, frame: u, from: d, to: f, y: p } of t) {
		let t = e.tree.name[u];
		if (o?.[t] && (r.fillStyle = c["selected-line"], r.fillRect(d, p + 20 - Qu - 3, f - d - 1, 3)), f - d < td) continue;
		let m = a !== null && !a[t];
		r.fillStyle = m && s ? "#cccccc" : n.of(e, u).text, r.globalAlpha = m ? .6 : 1, r.fillText(ku(i.names[t] ?? "", f - d - 8, l), d + $u, p + 10);
	}
	r.globalAlpha = 1;
}
function ld({ context: e, viewport: t, rows: n, top: r, width: i, theme: a }, { layout: o, frame: s }, c) {
	let l = n.findIndex((e) => e.layout === o && e.level === o.tree.level[s]);
	if (l < 0) return;
	let u = Math.max(0, t.toPixel(o.left[s])), d = Math.min(i, t.toPixel(o.left[s] + o.width[s]));
	d < 0 || u > i || (e.strokeStyle = a.text, e.lineWidth = c, e.strokeRect(u + c / 2, l * 20 - r + c / 2, Math.max(1, d - u - 1 - c), 19 - c), e.lineWidth = 1);
}
function ud(e, t, n) {
	let { context: r, width: i, height: a, ratio: o } = e, { rows: s, viewport: c, theme: l } = t, u = Math.max(1, Math.round(i * o));
	if (r.fillStyle = l.surface, r.fillRect(0, 0, i, a), s.length === 0) return;
	if (n.width !== u || n.height !== s.length) {
		n.width = u, n.height = s.length;
		let e = new ImageData(u, s.length), r = new Uint32Array(e.data.buffer), i = Bu(u), a = id(t), { from: o, to: l } = c.whole;
		s.forEach(({ layout: e, level: t }, n) => {
			e.lod.draw(e.levels[t], e.levels[t + 1], o, (l - o) / u, 0, u, i);
			for (let t = 0; t < u; t++) {
				let o = i.slice[t];
				o >= 0 && (r[n * u + t] = a.of(e, e.frames[o]).texel | Math.min(255, 255 * (.4 + .6 * i.cover[t])) << 24);
			}
		}), n.getContext("2d")?.putImageData(e, 0, 0);
	}
	r.drawImage(n, 0, 2, i, a - 4);
	let d = (e) => (e - c.whole.from) / (c.whole.to - c.whole.from) * i, [f, p] = [Math.max(0, d(c.from)), Math.min(i, d(c.to))];
	r.fillStyle = l.surface, r.globalAlpha = .66, r.fillRect(0, 0, f, a), r.fillRect(p, 0, i - p, a), r.globalAlpha = 1, r.strokeStyle = l.text, r.strokeRect(f + .5, .5, Math.max(2, p - f - 1), a - 1);
}
// src/views/flame/sandwich.ts
var dd = class {
	#e;
	#t = [-1];
	#n;
	#r;
	#i;
	#a;
	#o = [/* @__PURE__ */ new Map()];
	constructor(e, t, n, r) {
		this.#e = n, this.#n = [e], this.#r = [t], this.#i = Array.from({ length: n }, () => [0]), this.#a = r ? Array.from({ length: n }, () => [0]) : [];
	}
	child(e, t, n) {
		let r = t * 256 + n, i = this.#o[e].get(r);
		if (i !== void 0) return i;
		let a = this.#t.length;
		this.#o[e].set(r, a), this.#o.push(/* @__PURE__ */ new Map()), this.#t.push(e), this.#n.push(t), this.#r.push(n);
		for (let e of [this.#i, this.#a]) for (let t of e) t.push(0);
		return a;
	}
	add(e, t, n) {
		for (let r = 0; r < this.#e; r++) this.#i[r][e] += t(r), this.#a.length && (this.#a[r][e] += n(r));
	}
	finish(e) {
		let t = [], n = [], r = [[0, 0]];
		for (; r.length;) {
			let [e, i] = r.pop();
			t.push(e), n.push(i);
			for (let t of [...this.#o[e].values()].reverse()) r.push([t, i + 1]);
		}
		let i = (e) => t.map((t) => e[t]);
		return Ru({
			id: e,
			time: !1,
			inverted: e === "callers",
			notes: [],
			level: n,
			name: i(this.#n),
			kind: i(this.#r),
			grouped: [],
			start: [],
			own: this.#i.map(i),
			base: this.#a.map(i)
		});
	}
};
function fd(e, t, n) {
	let r = e.base[t];
	if (!r) return 0;
	let i = r[n];
	for (let t = n + 1; t < e.end[n]; t = e.end[t]) i -= r[t];
	return i;
}
function pd(e, t) {
	let n = e.name.indexOf(t);
	if (n < 0) return null;
	let r = e.own.length, i = e.base.length > 0, a = () => new dd(t, e.kind[n], r, i), [o, s] = [a(), a()], c = new Int32Array(e.count).fill(-1), l = 0;
	for (let r = n; r < e.count;) {
		if (e.name[r] !== t) {
			r++;
			continue;
		}
		l++, c[r] = 0;
		let n = (t) => s.add(c[t], (n) => e.own[n][t], (n) => fd(e, n, t));
		n(r);
		for (let t = r + 1; t < e.end[r]; t++) c[t] = s.child(c[e.parent[t]], e.name[t], e.kind[t]), n(t);
		let i = 0;
		for (let t = e.parent[r]; t > 0; t = e.parent[t]) i = o.child(i, e.name[t], e.kind[t]);
		let a = r;
		o.add(i, (t) => e.total[t][a], (t) => e.base[t]?.[a] ?? 0), r = e.end[r];
	}
	return {
		callers: o.finish("callers"),
		callees: s.finish("callees"),
		places: l
	};
}
var md = class {
	data;
	trees;
	#e = /* @__PURE__ */ new Map();
	#t;
	smallKind;
	isDifference;
	query = B("");
	focused = B(null);
	chosen = B(null);
	hover = B(null);
	order;
	metric;
	width;
	sides;
	rows;
	found;
	viewport = new Pu({
		from: 0,
		to: 1
	}, { least: .001 });
	canvas = null;
	mini = null;
	scroll = null;
	#n = document.createElement("canvas");
	#r = null;
	#i = [];
	redraw = Du(() => this.draw());
	constructor(e) {
		this.data = e, this.trees = e.views.map(Ru), this.#t = e.metrics.findIndex((e) => e.id === "cpu"), this.smallKind = e.kinds.length - 1, this.isDifference = (this.trees[0]?.base.length ?? 0) > 0, this.order = et(() => {
			let e = G("flame.order");
			return e === "sandwich" || this.trees.some((t) => t.id === e) ? e : this.trees[0]?.id ?? "";
		}), this.metric = et(() => {
			let t = e.metrics.findIndex((e) => e.id === G("flame.metric"));
			return t >= 0 && this.has(t) ? t : e.metric;
		}), this.width = et(() => this.isDifference ? G("flame.width", "both") : "new"), this.sides = et(() => this.order.value === "sandwich" ? this.#a() : null), this.rows = et(() => this.#s()), this.found = et(() => this.#c());
	}
	has(e) {
		let t = this.trees[0];
		return !!t && ((t.total[e]?.[0] ?? 0) > 0 || (t.base[e]?.[0] ?? 0) > 0);
	}
	nameOf({ layout: e, frame: t }) {
		return this.data.names[e.tree.name[t]] ?? "";
	}
	#a() {
		let e = this.trees.find((e) => !e.time && !e.inverted) ?? this.trees[0], t = G("flame.name") || [...It.value][0], n = t === void 0 ? -1 : this.data.names.indexOf(t);
		return e && n >= 0 ? pd(e, n) : null;
	}
	#o(e) {
		let [t, n] = [this.metric.value, this.width.value];
		if (e.id === "callers" || e.id === "callees") return Ju(e, t, n, this.#t, this.smallKind);
		let r = `${e.id} ${t} ${n}`, i = this.#e.get(r);
		if (i) return i;
		let a = Ju(e, t, n, this.#t, this.smallKind);
		return this.#e.set(r, a), a;
	}
	#s() {
		if (this.order.value !== "sandwich") {
			let e = this.trees.find((e) => e.id === this.order.value);
			return e ? hd(this.#o(e)) : [];
		}
		let e = this.sides.value;
		if (!e) return [];
		let [t, n] = [this.#o(e.callers), this.#o(e.callees)];
		return [...hd(t).slice(1).reverse(), ...hd(n)];
	}
	get whole() {
		let e = this.rows.value.at(-1)?.layout;
		return e ? e.width[0] : 0;
	}
	#c() {
		let e = this.query.value;
		if (!e) return null;
		let t;
		try {
			t = new RegExp(e, "i");
		} catch {
			return "no expression";
		}
		let n = Uint8Array.from(this.data.names, (e) => +!!t.test(e)), r = this.focused.value, i = r?.layout ?? this.rows.value.at(-1)?.layout;
		if (!i) return {
			matches: n,
			frames: 0,
			share: 0
		};
		let a = r?.frame ?? 0, { frames: o, sum: s } = Zu(i, a, (e) => n[e] === 1);
		return {
			matches: n,
			frames: o,
			share: 100 * s / (i.width[a] || 1)
		};
	}
	start() {
		let e = at(() => {
			let e = this.rows.value;
			this.focused.value = null, this.chosen.value = null, this.hover.value = null, this.viewport.extend({
				from: 0,
				to: this.whole || 1
			}), this.viewport.fit();
			let t = this.scroll?.firstElementChild;
			t instanceof HTMLElement && (t.style.height = `${e.length * 20}px`), this.redraw(), this.scroll && (this.scroll.scrollTop = Math.max(0, e.findIndex((e) => e.level === 0) * 20 - this.scroll.clientHeight / 2));
		}), t = at(() => {
			Nn.value, this.viewport.span.value, this.chosen.value, this.hover.value, this.found.value, It.value, this.redraw();
		});
		this.#i.push(e, t);
	}
	stop() {
		for (let e of this.#i.splice(0)) e();
		this.redraw.cancel();
	}
	#l() {
		let { canvas: e, scroll: t } = this, n = e && t && Eu(e, t.clientWidth, t.clientHeight);
		if (!n || !t) return null;
		this.viewport.width = n.width;
		let r = this.found.peek(), i = It.peek(), a = i.size ? Uint8Array.from(this.data.names, (e) => +!!i.has(e)) : null;
		return {
			...n,
			data: this.data,
			metric: this.metric.peek(),
			isDifference: this.isDifference,
			dark: Nn.peek() === "dark",
			theme: wu([
				"surface",
				"text",
				"quiet",
				"line",
				"selected-line"
			]),
			viewport: this.viewport,
			rows: this.rows.peek(),
			top: t.scrollTop,
			matches: r && r !== "no expression" ? r.matches : null,
			marked: a,
			focused: this.focused.peek()
		};
	}
	draw() {
		let e = this.#l();
		if (!e) return;
		od(e, this.#n, {
			chosen: this.chosen.peek(),
			hover: this.hover.peek(),
			hasFocus: document.activeElement === this.canvas
		});
		let t = this.mini && Eu(this.mini, e.width, 34);
		if (!t) return;
		let n = `${e.rows.length} ${t.canvas.width} ${e.dark} ${this.metric.peek()} ${this.width.peek()} ${this.order.peek()} ${this.whole}`;
		this.#r?.key !== n && (this.#r = {
			key: n,
			canvas: document.createElement("canvas")
		}), ud(t, e, this.#r.canvas);
	}
	at(e, t) {
		let n = this.rows.peek()[Math.floor((t + (this.scroll?.scrollTop ?? 0)) / 20)];
		if (!n) return null;
		let r = Xu(n.layout, n.level, this.viewport.toAxis(e));
		return r < 0 ? null : {
			layout: n.layout,
			frame: r
		};
	}
	focus(e) {
		this.focused.value = e && e.frame > 0 ? e : null, this.chosen.value = e, e ? this.viewport.set(e.layout.left[e.frame], e.layout.left[e.frame] + e.layout.width[e.frame]) : this.viewport.fit();
	}
	back() {
		let e = this.focused.peek();
		if (!e) return !this.viewport.isWhole && (this.viewport.fit(), !0);
		let t = e.layout.tree.parent[e.frame];
		return this.focus(t >= 0 ? {
			layout: e.layout,
			frame: t
		} : null), !0;
	}
	showSides(e) {
		K("flame.name", e), K("flame.order", "sandwich");
	}
	move(e, t) {
		let n = this.chosen.peek(), r = this.rows.peek();
		if (!n) {
			let e = r.find((e) => e.level === 0);
			e && (this.chosen.value = {
				layout: e.layout,
				frame: 0
			});
			return;
		}
		let { layout: i, frame: a } = n, o = i.place[a], s = i.tree.level[a];
		if (e) {
			let t = o + e;
			t >= i.levels[s] && t < i.levels[s + 1] && this.#u({
				layout: i,
				frame: i.frames[t]
			});
			return;
		}
		let c = r[r.findIndex((e) => e.layout === i && e.level === s) + t];
		if (!c) return;
		let l = i.left[a] + Math.min(1e-9, i.width[a] / 2), u = Xu(c.layout, c.level, l);
		u >= 0 && this.#u({
			layout: c.layout,
			frame: u
		});
	}
	#u(e) {
		this.chosen.value = e;
		let t = this.rows.peek().findIndex((t) => t.layout === e.layout && t.level === e.layout.tree.level[e.frame]) * 20, { scroll: n } = this;
		n && (t < n.scrollTop ? n.scrollTop = t : t + 20 > n.scrollTop + n.clientHeight && (n.scrollTop = t + 20 - n.clientHeight));
	}
	nextMatch(e) {
		let t = this.found.peek(), n = this.focused.peek()?.layout ?? this.rows.peek().at(-1)?.layout;
		if (!t || t === "no expression" || !n) return;
		let { frames: r, tree: i, place: a } = n, o = this.chosen.peek()?.layout === n ? a[this.chosen.peek().frame] : -1;
		for (let a = 1; a <= r.length; a++) {
			let s = ((o + e * a) % r.length + r.length) % r.length;
			if (!t.matches[i.name[r[s]]]) continue;
			this.#u({
				layout: n,
				frame: r[s]
			});
			let [c, l] = [n.left[r[s]], n.left[r[s]] + n.width[r[s]]];
			(l < this.viewport.from || c > this.viewport.to) && this.viewport.set(c, l);
			return;
		}
	}
};
function hd(e) {
	return Array.from({ length: Yu(e) }, (t, n) => ({
		layout: e,
		level: n
	}));
}
// src/views/flame/index.tsx
var gd = "This report holds no calls. `eaves open FILE` shows those of the recording.", _d = /* @__PURE__ */ new WeakMap();
function vd(e) {
	let t = _d.get(e);
	return t || (t = e.part("flame").then((e) => e ? new md(zu(e)) : null), _d.set(e, t)), t;
}
function yd(e) {
	let [t, n] = F({});
	return L(() => {
		let t = !0;
		return vd(e.source).then((e) => t && n({ flame: e }), (e) => t && n({ problem: e instanceof Error ? e.message : String(e) })), () => {
			t = !1;
		};
	}, [e.source]), t.problem ? /* @__PURE__ */ q(tr, { children: ["The flame graph cannot be shown: ", t.problem] }) : t.flame === void 0 ? /* @__PURE__ */ q(tr, { children: "Reading the flame graph ..." }) : t.flame === null || t.flame.trees.length === 0 ? /* @__PURE__ */ q(tr, { children: /* @__PURE__ */ q(nr, { text: gd }) }) : /* @__PURE__ */ q(Od, {
		...e,
		flame: t.flame
	});
}
function bd(e, t, n) {
	return Ct(t, e.metrics[n]?.unit ?? "count");
}
function xd(e, t) {
	if (!t) return e ? "new" : "-";
	if (!e) return "gone";
	let n = 100 * (e - t) / t;
	return `${n > 0 ? "+" : ""}${U(n)}`;
}
var Sd = (e, t) => t > 0 ? U(100 * e / t) : "-";
function Cd(e, t) {
	let { data: n } = e, { tree: r } = t.layout, { frame: i } = t, a = e.metric.peek(), o = r.total[a], s = Math.max(0, r.parent[i]), c = [];
	n.metrics.forEach((t, a) => {
		if (!e.has(a)) return;
		let o = r.total[a][i], s = r.base[a]?.[i];
		s === void 0 ? c.push([t.title, bd(n, o, a)]) : c.push([t.title, `${bd(n, s, a)} before, ${bd(n, o, a)} now, ${xd(o, s)}`]);
	}), !r.inverted && !e.isDifference && c.push(["Of its own", bd(n, r.own[a][i], a)]), c.push(["Of all", Sd(o[i], o[0])]), i > 0 && c.push([r.inverted ? "Of the callee" : "Of its caller", Sd(o[i], o[s])]);
	let l = e.focused.peek();
	l?.layout === t.layout && l.frame !== s && c.push(["Of what is shown", Sd(o[i], o[l.frame])]);
	let u = r.grouped.get(i);
	return c.push(["Kind", u ? `${bt(u)} small frames` : n.kinds[r.kind[i]]?.label ?? ""]), /* @__PURE__ */ q($t, {
		title: e.nameOf(t),
		lines: c
	});
}
function wd(e, t) {
	let { tree: n } = t.layout, r = e.metric.peek(), i = n.total[r], a = i[t.frame], o = n.base[r]?.[t.frame], s = [e.nameOf(t)];
	return o === void 0 ? s.push(`${bd(e.data, a, r)}, ${Sd(a, i[0])} of all`) : s.push(`${bd(e.data, o, r)} before, ${bd(e.data, a, r)} now (${xd(a, o)})`), s.join(" – ");
}
function Td(e, t) {
	let n = "Flame graph";
	return [
		{
			keys: [
				"ArrowUp",
				"ArrowDown",
				"ArrowLeft",
				"ArrowRight"
			],
			does: "Frame above, below, beside",
			group: n,
			run: (t) => e.move(...Dd(t.key))
		},
		{
			keys: ["Enter"],
			does: "Focus on the frame",
			group: n,
			run: () => e.chosen.peek() ? e.focus(e.chosen.peek()) : !1
		},
		{
			keys: ["Backspace"],
			does: "Back to the caller",
			group: n,
			run: () => void e.back()
		},
		{
			keys: ["Escape"],
			does: "Back, then all",
			group: n,
			run: () => e.back() ? void 0 : !1
		},
		{
			keys: ["Home", "0"],
			does: "Show all",
			group: n,
			run: () => e.focus(null)
		},
		{
			keys: [
				"w",
				"s",
				"a",
				"d",
				"u"
			],
			does: "Zoom, move, undo",
			group: n,
			run: (t) => Fu(e.viewport, t.key) ? void 0 : !1
		},
		{
			keys: ["c"],
			does: "Callers and callees of the frame",
			group: n,
			run: () => Ed(e)
		},
		{
			keys: ["/"],
			does: "Search frames",
			group: n,
			run: t
		},
		{
			keys: ["n"],
			does: "Next match of the search",
			group: n,
			run: () => e.nextMatch(1)
		},
		{
			keys: ["N"],
			does: "Match before",
			group: n,
			run: () => e.nextMatch(-1)
		}
	];
}
function Ed(e) {
	let t = e.chosen.peek() ?? e.hover.peek();
	t && e.showSides(e.nameOf(t));
}
function Dd(e) {
	return e === "ArrowUp" ? [0, -1] : e === "ArrowDown" ? [0, 1] : e === "ArrowLeft" ? [-1, 0] : [1, 0];
}
function Od({ document: e, flame: t }) {
	let n = R(null), r = R(null), i = R(null), a = Ou(() => t.redraw());
	L(() => {
		t.canvas = n.current, t.mini = r.current, t.scroll = a.current, t.start();
		let e = n.current && r.current ? kd(t, n.current, r.current) : void 0;
		return () => {
			e?.(), t.stop(), Xt();
		};
	}, [t]), pn(() => Td(t, () => i.current?.focus()), [t]);
	let o = t.rows.value.length === 0;
	return /* @__PURE__ */ q("section", {
		class: "flame fill",
		"aria-label": "Flame graph",
		children: [
			/* @__PURE__ */ q(jd, {
				flame: t,
				field: i,
				exports: {
					name: "flame",
					canvas: () => n.current,
					command: Kn(e, "flame", `--metric ${t.data.metrics[t.metric.value]?.id ?? "cpu"} -o flame.html`)
				}
			}),
			/* @__PURE__ */ q(Md, { flame: t }),
			/* @__PURE__ */ q("canvas", {
				ref: r,
				class: "flame-mini",
				role: "img",
				"aria-label": "All levels; drag to choose a part"
			}),
			/* @__PURE__ */ q("div", {
				ref: a,
				class: "flame-scroll",
				onScroll: () => t.redraw(),
				children: [/* @__PURE__ */ q("div", {
					class: "tall",
					hidden: o,
					children: /* @__PURE__ */ q("canvas", {
						ref: n,
						tabIndex: 0,
						role: "application",
						"aria-label": "Frames: arrow keys move, Enter focuses, Backspace goes back",
						"aria-describedby": "flame-status",
						onFocus: () => t.redraw(),
						onBlur: () => t.redraw()
					})
				}), o ? /* @__PURE__ */ q(tr, { children: t.order.value === "sandwich" ? "Select a function to see who calls it and what it calls: a frame and C, or a name in any table." : "Nothing has this amount." }) : null]
			}),
			/* @__PURE__ */ q(Nd, { flame: t })
		]
	});
}
function kd(e, t, n) {
	let r = new AbortController(), { signal: i } = r, { viewport: a } = e, o = null;
	t.addEventListener("wheel", (e) => {
		!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaY) >= Math.abs(e.deltaX) || (e.preventDefault(), Iu(a, e, e.offsetX));
	}, {
		passive: !1,
		signal: i
	}), t.addEventListener("pointerdown", (n) => {
		n.button === 0 && (o = {
			x: n.offsetX,
			y: n.offsetY,
			from: a.from,
			to: a.to,
			top: e.scroll?.scrollTop ?? 0,
			moved: !1
		}, t.setPointerCapture(n.pointerId));
	}, { signal: i }), t.addEventListener("pointermove", (t) => {
		if (!o) {
			let n = e.at(t.offsetX, t.offsetY), r = e.hover.peek();
			(n?.frame !== r?.frame || n?.layout !== r?.layout) && (e.hover.value = n), n ? Yt(t, Cd(e, n)) : Xt();
			return;
		}
		let [n, r] = [t.offsetX - o.x, t.offsetY - o.y];
		if (!o.moved && Math.abs(n) + Math.abs(r) < 4) return;
		o.moved = !0, Xt();
		let i = n / a.width * (o.to - o.from);
		a.set(o.from - i, o.to - i), e.scroll && (e.scroll.scrollTop = o.top - r);
	}, { signal: i }), t.addEventListener("pointerup", (t) => {
		let n = o && !o.moved;
		o = null;
		let r = n ? e.at(t.offsetX, t.offsetY) : null;
		r && (Xt(), Bt([e.nameOf(r)]), e.focus(r));
	}, { signal: i }), t.addEventListener("pointerleave", () => (Xt(), void (e.hover.value = null)), { signal: i });
	let s = null, c = (e) => a.whole.from + e.offsetX / a.width * (a.whole.to - a.whole.from);
	return n.addEventListener("pointerdown", (e) => {
		s = c(e), n.setPointerCapture(e.pointerId);
	}, { signal: i }), n.addEventListener("pointermove", (e) => {
		s !== null && Math.abs(c(e) - s) > 3 * (a.whole.to - a.whole.from) / a.width && a.set(Math.min(s, c(e)), Math.max(s, c(e)));
	}, { signal: i }), n.addEventListener("pointerup", () => s = null, { signal: i }), () => r.abort();
}
function Ad({ label: e, options: t, value: n, choose: r }) {
	return /* @__PURE__ */ q("div", {
		class: "choice",
		role: "group",
		"aria-label": e,
		children: t.map((e) => /* @__PURE__ */ q("button", {
			type: "button",
			class: "button",
			"aria-pressed": e.id === n,
			disabled: e.disabled,
			onClick: () => r(e.id),
			children: e.title
		}, e.id))
	});
}
function jd({ flame: e, field: t, exports: n }) {
	let { data: r } = e, i = [...r.views.map(({ id: e, title: t }) => ({
		id: e,
		title: t
	})), {
		id: "sandwich",
		title: "Sandwich"
	}], a = e.found.value;
	return /* @__PURE__ */ q("div", {
		class: "flame-tools",
		role: "toolbar",
		"aria-label": "Flame graph",
		children: [
			/* @__PURE__ */ q(Ad, {
				label: "Order",
				options: i,
				value: e.order.value,
				choose: (t) => {
					t === "sandwich" && e.chosen.peek() ? K("flame.name", e.nameOf(e.chosen.peek())) : t === "sandwich" && K("flame.name", null), K("flame.order", t === r.views[0]?.id ? null : t);
				}
			}),
			/* @__PURE__ */ q(Ad, {
				label: "Metric",
				options: r.metrics.map(({ id: t, title: n }, r) => ({
					id: t,
					title: n,
					disabled: !e.has(r)
				})),
				value: r.metrics[e.metric.value]?.id ?? "",
				choose: (e) => K("flame.metric", e === r.metrics[r.metric]?.id ? null : e)
			}),
			e.isDifference ? /* @__PURE__ */ q(Ad, {
				label: "Width",
				options: [
					{
						id: "both",
						title: "Both"
					},
					{
						id: "new",
						title: "Now"
					},
					{
						id: "base",
						title: "Before"
					}
				],
				value: G("flame.width", "both"),
				choose: (e) => K("flame.width", e === "both" ? null : e)
			}) : null,
			/* @__PURE__ */ q("input", {
				ref: t,
				type: "search",
				placeholder: "Search ( / ), regular expression",
				"aria-label": "Search frames, as a regular expression",
				"aria-invalid": a === "no expression",
				value: e.query.value,
				onInput: (t) => e.query.value = t.currentTarget.value,
				onKeyDown: (n) => {
					if (n.key === "Enter") e.nextMatch(n.shiftKey ? -1 : 1);
					else if (n.key === "Escape") e.query.value = "", t.current?.blur();
					else return;
					n.preventDefault(), n.stopPropagation();
				}
			}),
			a ? /* @__PURE__ */ q("span", {
				class: "found",
				role: "status",
				children: a === "no expression" ? "no regular expression" : `${U(a.share)} in ${bt(a.frames)} frame${a.frames === 1 ? "" : "s"}`
			}) : null,
			/* @__PURE__ */ q("span", { class: "grow" }),
			/* @__PURE__ */ q(er, { exports: n })
		]
	});
}
function Md({ flame: e }) {
	let t = e.focused.value, n = e.sides.value, r = t?.layout ?? e.rows.value.at(-1)?.layout;
	if (!r) return null;
	let i = [];
	for (let e = t?.frame ?? 0; e >= 0; e = r.tree.parent[e]) i.unshift(e);
	let a = i.length > 7 ? [
		...i.slice(0, 2),
		-1,
		...i.slice(-4)
	] : i;
	return /* @__PURE__ */ q("nav", {
		class: "flame-path",
		"aria-label": "Frames around what is shown",
		children: [
			n ? /* @__PURE__ */ q("span", { children: [bt(n.places), " places call"] }) : null,
			a.map((n, i) => /* @__PURE__ */ q("span", { children: [i ? /* @__PURE__ */ q("i", {
				"aria-hidden": "true",
				children: "›"
			}) : null, n < 0 ? "…" : /* @__PURE__ */ q("button", {
				type: "button",
				class: "link",
				"aria-current": n === (t?.frame ?? 0) ? "true" : void 0,
				title: e.nameOf({
					layout: r,
					frame: n
				}),
				onClick: () => e.focus(n ? {
					layout: r,
					frame: n
				} : null),
				children: Li(e.nameOf({
					layout: r,
					frame: n
				}), 44)
			})] }, n)),
			t ? /* @__PURE__ */ q("button", {
				type: "button",
				class: "quiet-button",
				onClick: () => e.showSides(e.nameOf(t)),
				children: "Callers and callees"
			}) : null
		]
	});
}
function Nd({ flame: e }) {
	let { data: t } = e, n = e.hover.value ?? e.chosen.value, r = Nn.value === "dark", i = z(() => {
		let t = /* @__PURE__ */ new Set();
		for (let n of e.trees) for (let e of n.kind) t.add(e);
		return t;
	}, [e]), a = t.views.find((t) => t.id === e.order.value)?.notes ?? [], o = [
		["less than before", t.changes[1]?.fill ?? ""],
		["about the same", t.changes[4]?.fill ?? ""],
		["more than before", t.changes[7]?.fill ?? ""]
	], s = e.isDifference ? o : t.kinds.flatMap((e, t) => i.has(t) ? [[e.label, r ? e.dark : e.light]] : []);
	return /* @__PURE__ */ q("footer", {
		class: "flame-status",
		children: [
			/* @__PURE__ */ q("p", {
				id: "flame-status",
				role: "status",
				children: n ? wd(e, n) : "Click focuses, C shows callers and callees, wheel scrolls, Ctrl and wheel zooms"
			}),
			/* @__PURE__ */ q("ul", {
				"aria-label": "Colours",
				children: s.map(([e, t]) => /* @__PURE__ */ q("li", { children: [/* @__PURE__ */ q("i", { style: { background: t } }), e] }, e))
			}),
			/* @__PURE__ */ q("p", {
				class: "quiet",
				children: a.join("; ")
			})
		]
	});
}
var Pd = {
	id: "flame",
	title: "Flame",
	missing: ({ source: e }) => e.has?.("flame") === !1 ? gd : void 0,
	Component: yd
}, Fd = [
	{
		id: "kernels",
		title: "Kernels",
		section: "kernels",
		tables: [["by_name", "by_rank_and_name"]]
	},
	{
		id: "operators",
		title: "Operators",
		section: "call-tree",
		tables: [["by_operator", "by_rank_and_operator"]]
	},
	{
		id: "ranges",
		title: "Named ranges",
		section: "annotations",
		tables: [
			["host", "host_by_rank"],
			["gpu", "gpu_by_rank"],
			["kernels_by_annotation"]
		]
	},
	{
		id: "sequences",
		title: "Sequences",
		section: "kernel-sequences",
		tables: [["by_sequence", "by_rank_and_sequence"]]
	},
	{
		id: "launches",
		title: "Launches",
		section: "launch-stats",
		tables: [["by_call"]]
	},
	{
		id: "delays",
		title: "From operator to kernel",
		section: "op-delays",
		tables: [["by_op"]]
	},
	{
		id: "queues",
		title: "Queues",
		section: "queue-length",
		tables: [["by_stream"]]
	},
	{
		id: "path",
		title: "Critical path",
		section: "critical-path",
		tables: [["by_name"], ["by_cause"]]
	},
	{
		id: "copies",
		title: "Copies",
		section: "memory-bandwidth",
		tables: [["by_kind"], ["by_name"]]
	}
];
function Id({ document: e }) {
	let t = Fd.filter((t) => W(e, t.section)), n = t.find((e) => e.id === Mo("kernels.part", t)), r = n && W(e, n.section);
	if (!n || !r) return /* @__PURE__ */ q(tr, { children: "There is no table of kernels in this document." });
	let i = Rt.value !== null;
	return /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q(jo, {
			id: "kernels.part",
			tabs: t,
			label: "What ran"
		}),
		/* @__PURE__ */ q(Eo, { section: r }),
		n.id === "kernels" ? /* @__PURE__ */ q(zd, { document: e }) : null,
		n.tables.map(([t, a]) => {
			let o = r.tables.find((e) => e.id === (i && a ? a : t));
			return o ? /* @__PURE__ */ q(No, {
				document: e,
				section: r,
				table: o,
				rows: n.tables.length > 1 ? 11 : 18
			}, t) : null;
		})
	] });
}
var Ld = [
	["compute", "Compute"],
	["communication", "Communication"],
	["memory", "Memory"],
	["c8", "Other"]
];
function Rd(e) {
	return e.type === "compute" || e.type === "communication" || e.type === "memory" ? e.type : "c8";
}
function zd({ document: e }) {
	let t = R(null), [n, r] = zo(), i = Rt.value, a = i === null ? "by_name" : "by_rank_and_name", o = z(() => Mt(e, "kernels", a).filter((e) => i === null || e.rank === i), [
		e,
		a,
		i
	]), s = It.value, c = 0, l = o.filter((e) => s.has(String(e.name))).reduce((e, t) => e + Number(t.share_pct ?? 0), 0);
	return /* @__PURE__ */ q(X, {
		title: "Shares of the summed duration",
		note: s.size && l ? `Selected: ${U(l)}` : "Each kernel as wide as its share; click to select it in every view.",
		exports: {
			name: "kernel-shares",
			svg: () => t.current,
			command: Kn(e, "kernels")
		},
		children: /* @__PURE__ */ q("div", {
			ref: n,
			children: /* @__PURE__ */ q("svg", {
				ref: t,
				class: "chart",
				width: r,
				height: 54,
				role: "group",
				"aria-label": "Shares of kernels",
				onPointerLeave: Xt,
				children: [
					/* @__PURE__ */ q(Io, { id: "shares" }),
					o.map((e, t) => {
						let n = Number(e.share_pct ?? 0) / 100 * r, i = c;
						if (c += n, n < .8 || i > r) return null;
						let a = String(e.name), o = s.has(a);
						return /* @__PURE__ */ q("g", {
							class: `segment${o ? " chosen" : s.size ? " faded" : ""}`,
							onClick: (e) => e.ctrlKey || e.metaKey || e.shiftKey ? Vt(a) : Bt(o && s.size === 1 ? [] : [a]),
							onPointerMove: (t) => Yt(t, /* @__PURE__ */ q($t, {
								title: a,
								lines: [
									["Total", V(Number(e.total_ns))],
									["Share", U(Number(e.share_pct))],
									["Calls", String(e.calls)],
									["Type", String(e.type)]
								]
							})),
							children: [/* @__PURE__ */ q("rect", {
								x: i,
								y: 2,
								width: Math.max(.5, n - 1),
								height: 28,
								fill: Lo(Rd(e), "shares")
							}), o ? /* @__PURE__ */ q("rect", {
								class: "edge",
								x: i + 1,
								y: 2,
								width: Math.max(.5, n - 3),
								height: 28,
								fill: "none"
							}) : null]
						}, t);
					}),
					/* @__PURE__ */ q(Ro, {
						parts: Ld,
						id: "shares",
						y: 38
					})
				]
			})
		})
	});
}
var Bd = {
	id: "kernels",
	title: "Kernels",
	missing({ document: e }) {
		if (Fd.some((t) => W(e, t.section))) return;
		let t = e.skipped.find((e) => e.id === "kernels");
		return t ? `${t.missing}. ${t.how_to_record}` : "No kernels are in this document. `eaves report TRACE` of a trace with GPU activities has them.";
	},
	Component: Id
}, Vd = !0, Hd = "uplot", Ud = "u-hz", Wd = "u-vt", Gd = "u-title", Kd = "u-wrap", qd = "u-under", Jd = "u-over", Yd = "u-axis", Xd = "u-off", Zd = "u-select", Qd = "u-cursor-x", $d = "u-cursor-y", ef = "u-cursor-pt", tf = "u-legend", nf = "u-live", rf = "u-inline", af = "u-series", of = "u-marker", sf = "u-label", cf = "u-value", lf = "width", uf = "height", df = "top", ff = "bottom", pf = "left", mf = "right", hf = "#000", gf = "#0000", _f = "mousemove", vf = "mousedown", yf = "mouseup", bf = "mouseenter", xf = "mouseleave", Sf = "dblclick", Cf = "resize", wf = "scroll", Tf = "change", Ef = "dppxchange", Df = "--", Of = typeof window < "u", kf = Of ? document : null, Af = Of ? window : null, jf = Of ? navigator : null, Z, Mf;
function Nf() {
	let e = devicePixelRatio;
	Z != e && (Z = e, Mf && Jf(Tf, Mf, Nf), Mf = matchMedia(`(min-resolution: ${Z - .001}dppx) and (max-resolution: ${Z + .001}dppx)`), qf(Tf, Mf, Nf), Af.dispatchEvent(new CustomEvent(Ef)));
}
function Pf(e, t) {
	if (t != null) {
		let n = e.classList;
		!n.contains(t) && n.add(t);
	}
}
function Ff(e, t) {
	let n = e.classList;
	n.contains(t) && n.remove(t);
}
function If(e, t, n) {
	e.style[t] = n + "px";
}
function Lf(e, t, n, r) {
	let i = kf.createElement(e);
	return t != null && Pf(i, t), n?.insertBefore(i, r), i;
}
function Rf(e, t) {
	return Lf("div", e, t);
}
var zf = /* @__PURE__ */ new WeakMap();
function Bf(e, t, n, r, i) {
	let a = "translate(" + t + "px," + n + "px)";
	a != zf.get(e) && (e.style.transform = a, zf.set(e, a), t < 0 || n < 0 || t > r || n > i ? Pf(e, Xd) : Ff(e, Xd));
}
var Vf = /* @__PURE__ */ new WeakMap();
function Hf(e, t, n) {
	let r = t + n;
	r != Vf.get(e) && (Vf.set(e, r), e.style.background = t, e.style.borderColor = n);
}
var Uf = /* @__PURE__ */ new WeakMap();
function Wf(e, t, n, r) {
	let i = t + "" + n;
	i != Uf.get(e) && (Uf.set(e, i), e.style.height = n + "px", e.style.width = t + "px", e.style.marginLeft = r ? -t / 2 + "px" : 0, e.style.marginTop = r ? -n / 2 + "px" : 0);
}
var Gf = { passive: !0 }, Kf = {
	...Gf,
	capture: !0
};
function qf(e, t, n, r) {
	t.addEventListener(e, n, r ? Kf : Gf);
}
function Jf(e, t, n, r) {
	t.removeEventListener(e, n, Gf);
}
Of && Nf();
function Yf(e, t, n, r) {
	let i;
	n ||= 0, r ||= t.length - 1;
	let a = r <= 2147483647;
	for (; r - n > 1;) i = a ? n + r >> 1 : gp((n + r) / 2), t[i] < e ? n = i : r = i;
	return e - t[n] <= t[r] - e ? n : r;
}
function Xf(e) {
	return (t, n, r) => {
		let i = -1, a = -1;
		for (let a = n; a <= r; a++) if (e(t[a])) {
			i = a;
			break;
		}
		for (let i = r; i >= n; i--) if (e(t[i])) {
			a = i;
			break;
		}
		return [i, a];
	};
}
var Zf = (e) => e != null, Qf = (e) => e != null && e > 0, $f = Xf(Zf), ep = Xf(Qf);
function tp(e, t, n, r = 0, i = !1) {
	let a = i ? ep : $f, o = i ? Qf : Zf;
	[t, n] = a(e, t, n);
	let s = e[t], c = e[t];
	if (t > -1) {
		if (r == 1) s = e[t], c = e[n];
		else if (r == -1) s = e[n], c = e[t];
		else for (let r = t; r <= n; r++) {
			let t = e[r];
			o(t) && (t < s ? s = t : t > c && (c = t));
		}
	}
	return [s ?? Dp, c ?? -Dp];
}
function np(e, t, n, r) {
	let i = Sp(e), a = Sp(t);
	e == t && (i == -1 ? (e *= n, t /= n) : (e /= n, t *= n));
	let o = n == 10 ? Cp : wp, s = i == 1 ? gp : vp, c = a == 1 ? vp : gp, l = s(o(hp(e))), u = c(o(hp(t))), d = xp(n, l), f = xp(n, u);
	return n == 10 && (l < 0 && (d = Hp(d, -l)), u < 0 && (f = Hp(f, -u))), r || n == 2 ? (e = d * i, t = f * a) : (e = Vp(e, d), t = Bp(t, f)), [e, t];
}
function rp(e, t, n, r) {
	let i = np(e, t, n, r);
	return e == 0 && (i[0] = 0), t == 0 && (i[1] = 0), i;
}
var ip = .1, ap = {
	mode: 3,
	pad: ip
}, op = {
	pad: 0,
	soft: null,
	mode: 0
}, sp = {
	min: op,
	max: op
};
function cp(e, t, n, r) {
	return $p(n) ? up(e, t, n) : (op.pad = n, op.soft = r ? 0 : null, op.mode = r ? 3 : 0, up(e, t, sp));
}
function Q(e, t) {
	return e ?? t;
}
function lp(e, t, n) {
	for (t = Q(t, 0), n = Q(n, e.length - 1); t <= n;) {
		if (e[t] != null) return !0;
		t++;
	}
	return !1;
}
function up(e, t, n) {
	let r = n.min, i = n.max, a = Q(r.pad, 0), o = Q(i.pad, 0), s = Q(r.hard, -Dp), c = Q(i.hard, Dp), l = Q(r.soft, Dp), u = Q(i.soft, -Dp), d = Q(r.mode, 0), f = Q(i.mode, 0), p = t - e, m = Cp(p), h = bp(hp(e), hp(t)), g = hp(Cp(h) - m);
	(p < 1e-24 || g > 10) && (p = 0, (e == 0 || t == 0) && (p = 1e-24, d == 2 && l != Dp && (a = 0), f == 2 && u != -Dp && (o = 0)));
	let _ = p || h || 1e3, v = xp(10, gp(Cp(_))), y = Hp(Vp(e - _ * (p == 0 ? e == 0 ? .1 : 1 : a), v / 10), 24), b = e >= l && (d == 1 || d == 3 && y <= l || d == 2 && y >= l) ? l : Dp, x = bp(s, y < b && e >= b ? b : yp(b, y)), S = Hp(Bp(t + _ * (p == 0 ? t == 0 ? .1 : 1 : o), v / 10), 24), C = t <= u && (f == 1 || f == 3 && S >= u || f == 2 && S <= u) ? u : -Dp, w = yp(c, S > C && t <= C ? C : bp(C, S));
	return x == w && x == 0 && (w = 100), [x, w];
}
var dp = new Intl.NumberFormat(Of ? jf.language : "en-US"), fp = (e) => dp.format(e), pp = Math, mp = pp.PI, hp = pp.abs, gp = pp.floor, _p = pp.round, vp = pp.ceil, yp = pp.min, bp = pp.max, xp = pp.pow, Sp = pp.sign, Cp = pp.log10, wp = pp.log2, Tp = (e, t = 1) => pp.sinh(e) * t, Ep = (e, t = 1) => pp.asinh(e / t), Dp = Infinity;
function Op(e) {
	return (Cp((e ^ e >> 31) - (e >> 31)) | 0) + 1;
}
function kp(e, t, n) {
	return yp(bp(e, t), n);
}
function Ap(e) {
	return typeof e == "function";
}
function $(e) {
	return Ap(e) ? e : () => e;
}
var jp = () => {}, Mp = (e) => e, Np = (e, t) => t, Pp = (e) => null, Fp = (e) => !0, Ip = (e, t) => e == t, Lp = /\.\d*?(?=9{6,}|0{6,})/gm, Rp = (e) => {
	if (Xp(e) || Up.has(e)) return e;
	let t = `${e}`, n = t.match(Lp);
	if (n == null) return e;
	let r = n[0].length - 1;
	if (t.indexOf("e-") != -1) {
		let [e, n] = t.split("e");
		return +`${Rp(e)}e${n}`;
	}
	return Hp(e, r);
};
function zp(e, t) {
	return Rp(Hp(Rp(e / t)) * t);
}
function Bp(e, t) {
	return Rp(vp(Rp(e / t)) * t);
}
function Vp(e, t) {
	return Rp(gp(Rp(e / t)) * t);
}
function Hp(e, t = 0) {
	if (Xp(e)) return e;
	let n = 10 ** t;
	return _p(e * n * (1 + 2 ** -52)) / n;
}
var Up = /* @__PURE__ */ new Map();
function Wp(e) {
	return (("" + e).split(".")[1] || "").length;
}
function Gp(e, t, n, r) {
	let i = [], a = r.map(Wp);
	for (let o = t; o < n; o++) {
		let t = hp(o), n = Hp(xp(e, o), t);
		for (let s = 0; s < r.length; s++) {
			let c = e == 10 ? +`${r[s]}e${o}` : r[s] * n, l = (o >= 0 ? 0 : t) + (o >= a[s] ? 0 : a[s]), u = e == 10 ? c : Hp(c, l);
			i.push(u), Up.set(u, l);
		}
	}
	return i;
}
var Kp = {}, qp = [], Jp = [null, null], Yp = Array.isArray, Xp = Number.isInteger, Zp = (e) => e === void 0;
function Qp(e) {
	return typeof e == "string";
}
function $p(e) {
	let t = !1;
	if (e != null) {
		let n = e.constructor;
		t = n == null || n == Object;
	}
	return t;
}
function em(e) {
	return typeof e == "object" && !!e;
}
var tm = Object.getPrototypeOf(Uint8Array), nm = "__proto__";
function rm(e, t = $p) {
	let n;
	if (Yp(e)) {
		let r = e.find((e) => e != null);
		if (Yp(r) || t(r)) {
			n = Array(e.length);
			for (let r = 0; r < e.length; r++) n[r] = rm(e[r], t);
		} else n = e.slice();
	} else if (e instanceof tm) n = e.slice();
	else if (t(e)) {
		n = {};
		for (let r in e) r != nm && (n[r] = rm(e[r], t));
	} else n = e;
	return n;
}
function im(e) {
	let t = arguments;
	for (let n = 1; n < t.length; n++) {
		let r = t[n];
		for (let t in r) t != nm && ($p(e[t]) ? im(e[t], rm(r[t])) : e[t] = rm(r[t]));
	}
	return e;
}
var am = 0, om = 1, sm = 2;
function cm(e, t, n) {
	for (let r = 0, i, a = -1; r < t.length; r++) {
		let o = t[r];
		if (o > a) {
			for (i = o - 1; i >= 0 && e[i] == null;) e[i--] = null;
			for (i = o + 1; i < n && e[i] == null;) e[a = i++] = null;
		}
	}
}
function lm(e, t) {
	if (fm(e)) {
		let t = e[0].slice();
		for (let n = 1; n < e.length; n++) t.push(...e[n].slice(1));
		return pm(t[0]) || (t = dm(t)), t;
	}
	let n = /* @__PURE__ */ new Set();
	for (let t = 0; t < e.length; t++) {
		let r = e[t][0], i = r.length;
		for (let e = 0; e < i; e++) n.add(r[e]);
	}
	let r = [Array.from(n).sort((e, t) => e - t)], i = r[0].length, a = /* @__PURE__ */ new Map();
	for (let e = 0; e < i; e++) a.set(r[0][e], e);
	for (let n = 0; n < e.length; n++) {
		let o = e[n], s = o[0];
		for (let e = 1; e < o.length; e++) {
			let c = o[e], l = Array(i).fill(void 0), u = t ? t[n][e] : om, d = [];
			for (let e = 0; e < c.length; e++) {
				let t = c[e], n = a.get(s[e]);
				t === null ? u != am && (l[n] = t, u == sm && d.push(n)) : l[n] = t;
			}
			cm(l, d, i), r.push(l);
		}
	}
	return r;
}
var um = typeof queueMicrotask > "u" ? (e) => Promise.resolve().then(e) : queueMicrotask;
function dm(e) {
	let t = e[0], n = t.length, r = Array(n);
	for (let e = 0; e < r.length; e++) r[e] = e;
	r.sort((e, n) => t[e] - t[n]);
	let i = [];
	for (let t = 0; t < e.length; t++) {
		let a = e[t], o = Array(n);
		for (let e = 0; e < n; e++) o[e] = a[r[e]];
		i.push(o);
	}
	return i;
}
function fm(e) {
	let t = e[0][0], n = t.length;
	for (let r = 1; r < e.length; r++) {
		let i = e[r][0];
		if (i.length != n) return !1;
		if (i != t) {
			for (let e = 0; e < n; e++) if (i[e] != t[e]) return !1;
		}
	}
	return !0;
}
function pm(e, t = 100) {
	let n = e.length;
	if (n <= 1) return !0;
	let r = 0, i = n - 1;
	for (; r <= i && e[r] == null;) r++;
	for (; i >= r && e[i] == null;) i--;
	if (i <= r) return !0;
	let a = bp(1, gp((i - r + 1) / t));
	for (let t = e[r], n = r + a; n <= i; n += a) {
		let r = e[n];
		if (r != null) {
			if (r <= t) return !1;
			t = r;
		}
	}
	return !0;
}
var mm = [
	"January",
	"February",
	"March",
	"April",
	"May",
	"June",
	"July",
	"August",
	"September",
	"October",
	"November",
	"December"
], hm = [
	"Sunday",
	"Monday",
	"Tuesday",
	"Wednesday",
	"Thursday",
	"Friday",
	"Saturday"
];
function gm(e) {
	return e.slice(0, 3);
}
var _m = hm.map(gm), vm = {
	MMMM: mm,
	MMM: mm.map(gm),
	WWWW: hm,
	WWW: _m
};
function ym(e) {
	return (e < 10 ? "0" : "") + e;
}
function bm(e) {
	return (e < 10 ? "00" : e < 100 ? "0" : "") + e;
}
var xm = {
	YYYY: (e) => e.getFullYear(),
	YY: (e) => (e.getFullYear() + "").slice(2),
	MMMM: (e, t) => t.MMMM[e.getMonth()],
	MMM: (e, t) => t.MMM[e.getMonth()],
	MM: (e) => ym(e.getMonth() + 1),
	M: (e) => e.getMonth() + 1,
	DD: (e) => ym(e.getDate()),
	D: (e) => e.getDate(),
	WWWW: (e, t) => t.WWWW[e.getDay()],
	WWW: (e, t) => t.WWW[e.getDay()],
	HH: (e) => ym(e.getHours()),
	H: (e) => e.getHours(),
	h: (e) => {
		let t = e.getHours();
		return t == 0 ? 12 : t > 12 ? t - 12 : t;
	},
	AA: (e) => e.getHours() >= 12 ? "PM" : "AM",
	aa: (e) => e.getHours() >= 12 ? "pm" : "am",
	a: (e) => e.getHours() >= 12 ? "p" : "a",
	mm: (e) => ym(e.getMinutes()),
	m: (e) => e.getMinutes(),
	ss: (e) => ym(e.getSeconds()),
	s: (e) => e.getSeconds(),
	fff: (e) => bm(e.getMilliseconds())
};
function Sm(e, t) {
	t ||= vm;
	let n = [], r = /\{([a-z]+)\}|[^{]+/gi, i;
	for (; i = r.exec(e);) n.push(i[0][0] == "{" ? xm[i[1]] : i[0]);
	return (e) => {
		let r = "";
		for (let i = 0; i < n.length; i++) r += typeof n[i] == "string" ? n[i] : n[i](e, t);
		return r;
	};
}
var Cm = new Intl.DateTimeFormat().resolvedOptions().timeZone;
function wm(e, t) {
	let n;
	return t == "UTC" || t == "Etc/UTC" ? n = /* @__PURE__ */ new Date(+e + e.getTimezoneOffset() * 6e4) : t == Cm ? n = e : (n = new Date(e.toLocaleString("en-US", { timeZone: t })), n.setMilliseconds(e.getMilliseconds())), n;
}
var Tm = (e) => e % 1 == 0, Em = [
	1,
	2,
	2.5,
	5
], Dm = Gp(10, -32, 0, Em), Om = Gp(10, 0, 32, Em), km = Om.filter(Tm), Am = Dm.concat(Om), jm = "\n", Mm = "{YYYY}", Nm = jm + Mm, Pm = "{M}/{D}", Fm = jm + Pm, Im = Fm + "/{YY}", Lm = "{aa}", Rm = "{h}:{mm}" + Lm, zm = jm + Rm, Bm = ":{ss}", Vm = null;
function Hm(e) {
	let t = e * 1e3, n = t * 60, r = n * 60, i = r * 24, a = i * 30, o = i * 365, s = (e == 1 ? Gp(10, 0, 3, Em).filter(Tm) : Gp(10, -3, 0, Em)).concat([
		t,
		t * 5,
		t * 10,
		t * 15,
		t * 30,
		n,
		n * 5,
		n * 10,
		n * 15,
		n * 30,
		r,
		r * 2,
		r * 3,
		r * 4,
		r * 6,
		r * 8,
		r * 12,
		i,
		i * 2,
		i * 3,
		i * 4,
		i * 5,
		i * 6,
		i * 7,
		i * 8,
		i * 9,
		i * 10,
		i * 15,
		a,
		a * 2,
		a * 3,
		a * 4,
		a * 6,
		o,
		o * 2,
		o * 5,
		o * 10,
		o * 25,
		o * 50,
		o * 100
	]), c = [
		[
			o,
			Mm,
			Vm,
			Vm,
			Vm,
			Vm,
			Vm,
			Vm,
			1
		],
		[
			i * 28,
			"{MMM}",
			Nm,
			Vm,
			Vm,
			Vm,
			Vm,
			Vm,
			1
		],
		[
			i,
			Pm,
			Nm,
			Vm,
			Vm,
			Vm,
			Vm,
			Vm,
			1
		],
		[
			r,
			"{h}" + Lm,
			Im,
			Vm,
			Fm,
			Vm,
			Vm,
			Vm,
			1
		],
		[
			n,
			Rm,
			Im,
			Vm,
			Fm,
			Vm,
			Vm,
			Vm,
			1
		],
		[
			t,
			Bm,
			Im + " " + Rm,
			Vm,
			Fm + " " + Rm,
			Vm,
			zm,
			Vm,
			1
		],
		[
			e,
			Bm + ".{fff}",
			Im + " " + Rm,
			Vm,
			Fm + " " + Rm,
			Vm,
			zm,
			Vm,
			1
		]
	];
	function l(t) {
		return (s, c, l, u, d, f) => {
			let p = [], m = d >= o, h = d >= a && d < o, g = t(l), _ = Hp(g * e, 3), v = Qm(g.getFullYear(), m ? 0 : g.getMonth(), h || m ? 1 : g.getDate()), y = Hp(v * e, 3);
			if (h || m) {
				let n = h ? d / a : 0, r = m ? d / o : 0, i = _ == y ? _ : Hp(Qm(v.getFullYear() + r, v.getMonth() + n, 1) * e, 3), s = new Date(_p(i / e)), c = s.getFullYear(), l = s.getMonth();
				for (let a = 0; i <= u; a++) {
					let o = Qm(c + r * a, l + n * a, 1), s = o - t(Hp(o * e, 3));
					i = Hp((+o + s) * e, 3), i <= u && p.push(i);
				}
			} else {
				let a = d >= i ? i : d, o = y + (gp(l) - gp(_)) + Bp(_ - y, a);
				p.push(o);
				let m = t(o), h = m.getHours() + m.getMinutes() / n + m.getSeconds() / r, g = d / r, v = f / s.axes[c]._space;
				for (; o = Hp(o + d, e == 1 ? 0 : 3), !(o > u);) if (g > 1) {
					let e = gp(Hp(h + g, 6)) % 24, n = t(o).getHours() - e;
					n > 1 && (n = -1), o -= n * r, h = (h + g) % 24;
					let i = p[p.length - 1];
					Hp((o - i) / d, 3) * v >= .7 && p.push(o);
				} else p.push(o);
			}
			return p;
		};
	}
	return [
		s,
		c,
		l
	];
}
var [Um, Wm, Gm] = Hm(1), [Km, qm, Jm] = Hm(.001);
Gp(2, -53, 53, [1]);
function Ym(e, t) {
	return e.map((e) => e.map((n, r) => r == 0 || r == 8 || n == null ? n : t(r == 1 || e[8] == 0 ? n : e[1] + n)));
}
function Xm(e, t) {
	return (n, r, i, a, o) => {
		let s = t.find((e) => o >= e[0]) || t[t.length - 1], c, l, u, d, f, p;
		return r.map((t) => {
			let n = e(t), r = n.getFullYear(), i = n.getMonth(), a = n.getDate(), o = n.getHours(), m = n.getMinutes(), h = n.getSeconds(), g = r != c && s[2] || i != l && s[3] || a != u && s[4] || o != d && s[5] || m != f && s[6] || h != p && s[7] || s[1];
			return c = r, l = i, u = a, d = o, f = m, p = h, g(n);
		});
	};
}
function Zm(e, t) {
	let n = Sm(t);
	return (t, r, i, a, o) => r.map((t) => n(e(t)));
}
function Qm(e, t, n) {
	return new Date(e, t, n);
}
function $m(e, t) {
	return t(e);
}
var eh = "{YYYY}-{MM}-{DD} {h}:{mm}{aa}";
function th(e, t) {
	return (n, r, i, a) => a == null ? Df : t(e(r));
}
function nh(e, t) {
	let n = e.series[t];
	return n.width ? n.stroke(e, t) : n.points.width ? n.points.stroke(e, t) : null;
}
function rh(e, t) {
	return e.series[t].fill(e, t);
}
var ih = {
	show: !0,
	live: !0,
	isolate: !1,
	mount: jp,
	markers: {
		show: !0,
		width: 2,
		stroke: nh,
		fill: rh,
		dash: "solid"
	},
	idx: null,
	idxs: null,
	values: []
};
function ah(e, t) {
	let n = e.cursor.points, r = Rf(), i = n.size(e, t);
	If(r, lf, i), If(r, uf, i);
	let a = i / -2;
	If(r, "marginLeft", a), If(r, "marginTop", a);
	let o = n.width(e, t, i);
	return o && If(r, "borderWidth", o), r;
}
function oh(e, t) {
	let n = e.series[t].points;
	return n._fill || n._stroke;
}
function sh(e, t) {
	let n = e.series[t].points;
	return n._stroke || n._fill;
}
function ch(e, t) {
	return e.series[t].points.size;
}
var lh = [0, 0];
function uh(e, t, n) {
	return lh[0] = t, lh[1] = n, lh;
}
function dh(e, t, n, r = !0) {
	return (e) => {
		e.button != 0 || r && e.target != t || n(e);
	};
}
function fh(e, t, n, r = !0) {
	return (e) => {
		r && e.target != t || n(e);
	};
}
var ph = {
	show: !0,
	x: !0,
	y: !0,
	lock: !1,
	move: uh,
	points: {
		one: !1,
		show: ah,
		size: ch,
		width: 0,
		stroke: sh,
		fill: oh
	},
	bind: {
		mousedown: dh,
		mouseup: dh,
		click: dh,
		dblclick: dh,
		mousemove: fh,
		mouseleave: fh,
		mouseenter: fh
	},
	drag: {
		setScale: !0,
		x: !0,
		y: !1,
		dist: 0,
		uni: null,
		click: (e, t) => {
			t.stopPropagation(), t.stopImmediatePropagation();
		},
		_x: !1,
		_y: !1
	},
	focus: {
		dist: (e, t, n, r, i) => r - i,
		prox: -1,
		bias: 0
	},
	hover: {
		skip: [void 0],
		prox: null,
		bias: 0
	},
	left: -10,
	top: -10,
	idx: null,
	dataIdx: null,
	idxs: null,
	event: null
}, mh = {
	show: !0,
	stroke: "rgba(0,0,0,0.07)",
	width: 2
}, hh = im({}, mh, { filter: Np }), gh = im({}, hh, { size: 10 }), _h = im({}, mh, { show: !1 }), vh = "12px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Helvetica Neue\", Arial, \"Noto Sans\", sans-serif, \"Apple Color Emoji\", \"Segoe UI Emoji\", \"Segoe UI Symbol\", \"Noto Color Emoji\"", yh = "bold " + vh, bh = 1.5, xh = {
	show: !0,
	scale: "x",
	stroke: hf,
	space: 50,
	gap: 5,
	alignTo: 1,
	size: 50,
	labelGap: 0,
	labelSize: 30,
	labelFont: yh,
	side: 2,
	grid: hh,
	ticks: gh,
	border: _h,
	font: vh,
	lineGap: bh,
	rotate: 0
}, Sh = "Value", Ch = "Time", wh = {
	show: !0,
	scale: "x",
	auto: !1,
	sorted: 1,
	min: Dp,
	max: -Infinity,
	idxs: []
};
function Th(e, t, n, r, i) {
	return t.map((e) => e == null ? "" : fp(e));
}
function Eh(e, t, n, r, i, a, o) {
	let s = [], c = Up.get(i) || 0;
	n = o ? n : Hp(Bp(n, i), c);
	for (let e = n; e <= r; e = Hp(e + i, c)) s.push(Object.is(e, -0) ? 0 : e);
	return s;
}
function Dh(e, t, n, r, i, a, o) {
	let s = [], c = e.scales[e.axes[t].scale].log;
	i = xp(c, gp((c == 10 ? Cp : wp)(n))), c == 10 && (i = Am[Yf(i, Am)]);
	let l = n, u = i * c;
	c == 10 && (u = Am[Yf(u, Am)]);
	do
		s.push(l), l += i, c == 10 && !Up.has(l) && (l = Hp(l, Up.get(i))), l >= u && (i = l, u = i * c, c == 10 && (u = Am[Yf(u, Am)]));
	while (l <= r);
	return s;
}
function Oh(e, t, n, r, i, a, o) {
	let s = e.scales[e.axes[t].scale].asinh, c = r > s ? Dh(e, t, bp(s, n), r, i) : [s], l = r >= 0 && n <= 0 ? [0] : [];
	return (n < -s ? Dh(e, t, bp(s, -r), -n, i) : [s]).reverse().map((e) => -e).concat(l, c);
}
var kh = /./, Ah = /[12357]/, jh = /[125]/, Mh = /1/, Nh = (e, t, n, r) => e.map((e, i) => t == 4 && e == 0 || i % r == 0 && n.test(e.toExponential()[+(e < 0)]) ? e : null);
function Ph(e, t, n, r, i) {
	let a = e.axes[n], o = a.scale, s = e.scales[o], c = e.valToPos, l = a._space, u = c(10, o), d = c(9, o) - u >= l ? kh : c(7, o) - u >= l ? Ah : c(5, o) - u >= l ? jh : Mh;
	if (d == Mh) {
		let e = hp(c(1, o) - u);
		if (e < l) return Nh(t.slice().reverse(), s.distr, d, vp(l / e)).reverse();
	}
	return Nh(t, s.distr, d, 1);
}
function Fh(e, t, n, r, i) {
	let a = e.axes[n], o = a.scale, s = a._space, c = e.valToPos, l = hp(c(1, o) - c(2, o));
	return l < s ? Nh(t.slice().reverse(), 3, kh, vp(s / l)).reverse() : t;
}
function Ih(e, t, n, r) {
	return r == null ? Df : t == null ? "" : fp(t);
}
var Lh = {
	show: !0,
	scale: "y",
	stroke: hf,
	space: 30,
	gap: 5,
	alignTo: 1,
	size: 50,
	labelGap: 0,
	labelSize: 30,
	labelFont: yh,
	side: 3,
	grid: hh,
	ticks: gh,
	border: _h,
	font: vh,
	lineGap: bh,
	rotate: 0
};
function Rh(e, t) {
	return Hp((3 + (e || 1) * 2) * t, 3);
}
function zh(e, t) {
	let { scale: n, idxs: r } = e.series[0], i = e._data[0], a = e.valToPos(i[r[0]], n, !0), o = hp(e.valToPos(i[r[1]], n, !0) - a) / (e.series[t].points.space * Z);
	return r[1] - r[0] <= o;
}
var Bh = {
	scale: null,
	auto: !0,
	sorted: 0,
	min: Dp,
	max: -Infinity
}, Vh = (e, t, n, r, i) => i, Hh = {
	show: !0,
	auto: !0,
	sorted: 0,
	gaps: Vh,
	alpha: 1,
	facets: [im({}, Bh, { scale: "x" }), im({}, Bh, { scale: "y" })]
}, Uh = {
	scale: "y",
	auto: !0,
	sorted: 0,
	show: !0,
	spanGaps: !1,
	gaps: Vh,
	alpha: 1,
	points: {
		show: zh,
		filter: null
	},
	values: null,
	min: Dp,
	max: -Infinity,
	idxs: [],
	path: null,
	clip: null
};
function Wh(e, t, n, r, i) {
	return n / 10;
}
var Gh = {
	time: Vd,
	auto: !0,
	distr: 1,
	log: 10,
	asinh: 1,
	min: null,
	max: null,
	dir: 1,
	ori: 0
}, Kh = im({}, Gh, {
	time: !1,
	ori: 1
}), qh = {};
function Jh(e, t) {
	let n = qh[e];
	return n || (n = {
		key: e,
		plots: [],
		sub(e) {
			n.plots.push(e);
		},
		unsub(e) {
			n.plots = n.plots.filter((t) => t != e);
		},
		pub(e, t, r, i, a, o, s) {
			for (let c = 0; c < n.plots.length; c++) n.plots[c] != t && n.plots[c].pub(e, t, r, i, a, o, s);
		}
	}, e != null && (qh[e] = n)), n;
}
var Yh = 1, Xh = 2;
function Zh(e, t, n) {
	let r = e.mode, i = e.series[t], a = r == 2 ? e._data[t] : e._data, o = e.scales, s = e.bbox, c = a[0], l = r == 2 ? a[1] : a[t], u = r == 2 ? o[i.facets[0].scale] : o[e.series[0].scale], d = r == 2 ? o[i.facets[1].scale] : o[i.scale], f = s.left, p = s.top, m = s.width, h = s.height, g = e.valToPosH, _ = e.valToPosV;
	return u.ori == 0 ? n(i, c, l, u, d, g, _, f, p, m, h, og, cg, ug, fg, mg) : n(i, c, l, u, d, _, g, p, f, h, m, sg, lg, dg, pg, hg);
}
function Qh(e, t) {
	let n = 0, r = 0, i = Q(e.bands, qp);
	for (let e = 0; e < i.length; e++) {
		let a = i[e];
		a.series[0] == t ? n = a.dir : a.series[1] == t && (a.dir == 1 ? r |= 1 : r |= 2);
	}
	return [n, r == 1 ? -1 : r == 2 ? 1 : r == 3 ? 2 : 0];
}
function $h(e, t, n, r, i) {
	let a = e.mode, o = e.series[t], s = a == 2 ? o.facets[1].scale : o.scale, c = e.scales[s];
	return i == -1 ? c.min : i == 1 ? c.max : c.distr == 3 ? c.dir == 1 ? c.min : c.max : 0;
}
function eg(e, t, n, r, i, a) {
	return Zh(e, t, (e, t, o, s, c, l, u, d, f, p, m) => {
		let h = e.pxRound, g = s.dir * (s.ori == 0 ? 1 : -1), _ = s.ori == 0 ? cg : lg, v, y;
		g == 1 ? (v = n, y = r) : (v = r, y = n);
		let b = h(l(t[v], s, p, d)), x = h(u(o[v], c, m, f)), S = h(l(t[y], s, p, d)), C = h(u(a == 1 ? c.max : c.min, c, m, f)), w = new Path2D(i);
		return _(w, S, C), _(w, b, C), _(w, b, x), w;
	});
}
function tg(e, t, n, r, i, a) {
	let o = null;
	if (e.length > 0) {
		o = new Path2D();
		let s = t == 0 ? ug : dg, c = n;
		for (let t = 0; t < e.length; t++) {
			let n = e[t];
			if (n[1] > n[0]) {
				let e = n[0] - c;
				e > 0 && s(o, c, r, e, r + a), c = n[1];
			}
		}
		let l = n + i - c;
		l > 0 && s(o, c, r - 5, l, r + a + 10);
	}
	return o;
}
function ng(e, t, n) {
	let r = e[e.length - 1];
	r && r[0] == t ? r[1] = n : e.push([t, n]);
}
function rg(e, t, n, r, i, a, o) {
	let s = [], c = e.length;
	for (let l = i == 1 ? n : r; l >= n && l <= r; l += i) if (t[l] === null) {
		let u = l, d = l;
		if (i == 1) for (; ++l <= r && t[l] === null;) d = l;
		else for (; --l >= n && t[l] === null;) d = l;
		let f = a(e[u]), p = d == u ? f : a(e[d]), m = u - i;
		f = o <= 0 && m >= 0 && m < c ? a(e[m]) : f;
		let h = d + i;
		p = o >= 0 && h >= 0 && h < c ? a(e[h]) : p, p >= f && s.push([f, p]);
	}
	return s;
}
function ig(e) {
	return e == 0 ? Mp : e == 1 ? _p : (t) => zp(t, e);
}
function ag(e) {
	let t = e == 0 ? og : sg, n = e == 0 ? (e, t, n, r, i, a) => {
		e.arcTo(t, n, r, i, a);
	} : (e, t, n, r, i, a) => {
		e.arcTo(n, t, i, r, a);
	}, r = e == 0 ? (e, t, n, r, i) => {
		e.rect(t, n, r, i);
	} : (e, t, n, r, i) => {
		e.rect(n, t, i, r);
	};
	return (e, i, a, o, s, c = 0, l = 0) => {
		c == 0 && l == 0 ? r(e, i, a, o, s) : (c = yp(c, o / 2, s / 2), l = yp(l, o / 2, s / 2), t(e, i + c, a), n(e, i + o, a, i + o, a + s, c), n(e, i + o, a + s, i, a + s, l), n(e, i, a + s, i, a, l), n(e, i, a, i + o, a, c), e.closePath());
	};
}
var og = (e, t, n) => {
	e.moveTo(t, n);
}, sg = (e, t, n) => {
	e.moveTo(n, t);
}, cg = (e, t, n) => {
	e.lineTo(t, n);
}, lg = (e, t, n) => {
	e.lineTo(n, t);
}, ug = ag(0), dg = ag(1), fg = (e, t, n, r, i, a) => {
	e.arc(t, n, r, i, a);
}, pg = (e, t, n, r, i, a) => {
	e.arc(n, t, r, i, a);
}, mg = (e, t, n, r, i, a, o) => {
	e.bezierCurveTo(t, n, r, i, a, o);
}, hg = (e, t, n, r, i, a, o) => {
	e.bezierCurveTo(n, t, i, r, o, a);
};
function gg(e) {
	return (e, t, n, r, i) => Zh(e, t, (t, a, o, s, c, l, u, d, f, p, m) => {
		let { pxRound: h, points: g } = t, _, v;
		s.ori == 0 ? (_ = og, v = fg) : (_ = sg, v = pg);
		let y = Hp(g.width * Z, 3), b = (g.size - g.width) / 2 * Z, x = Hp(b * 2, 3), S = new Path2D(), C = new Path2D(), { left: w, top: T, width: E, height: D } = e.bbox;
		ug(C, w - x, T - x, E + x * 2, D + x * 2);
		let O = (e) => {
			if (o[e] != null) {
				let t = h(l(a[e], s, p, d)), n = h(u(o[e], c, m, f));
				_(S, t + b, n), v(S, t, n, b, 0, mp * 2);
			}
		};
		if (i) i.forEach(O);
		else for (let e = n; e <= r; e++) O(e);
		return {
			stroke: y > 0 ? S : null,
			fill: S,
			clip: C,
			flags: 3
		};
	});
}
function _g(e) {
	return (t, n, r, i, a, o) => {
		r != i && (a != r && o != r && e(t, n, r), a != i && o != i && e(t, n, i), e(t, n, o));
	};
}
var vg = _g(cg), yg = _g(lg);
function bg(e) {
	let t = Q(e?.alignGaps, 0);
	return (e, n, r, i) => Zh(e, n, (a, o, s, c, l, u, d, f, p, m, h) => {
		[r, i] = $f(s, r, i);
		let g = a.pxRound, _ = (e) => g(u(e, c, m, f)), v = (e) => g(d(e, l, h, p)), y, b;
		c.ori == 0 ? (y = cg, b = vg) : (y = lg, b = yg);
		let x = c.dir * (c.ori == 0 ? 1 : -1), S = {
			stroke: new Path2D(),
			fill: null,
			clip: null,
			band: null,
			gaps: null,
			flags: Yh
		}, C = S.stroke, w = !1;
		if (i - r >= m * 4) {
			let t = (t) => e.posToVal(t, c.key, !0), n = null, a = null, l, u, d, f = _(o[x == 1 ? r : i]), p = _(o[r]), m = _(o[i]), h = t(x == 1 ? p + 1 : m - 1);
			for (let e = x == 1 ? r : i; e >= r && e <= i; e += x) {
				let r = o[e], i = (x == 1 ? r < h : r > h) ? f : _(r), c = s[e];
				i == f ? c == null ? c === null && (w = !0) : (u = c, n == null ? (y(C, i, v(u)), l = n = a = u) : u < n ? n = u : u > a && (a = u)) : (n != null && b(C, f, v(n), v(a), v(l), v(u)), c == null ? (n = a = null, c === null && (w = !0)) : (u = c, y(C, i, v(u)), n = a = l = u), f = i, h = t(f + x));
			}
			n != null && n != a && d != f && b(C, f, v(n), v(a), v(l), v(u));
		} else for (let e = x == 1 ? r : i; e >= r && e <= i; e += x) {
			let t = s[e];
			t === null ? w = !0 : t != null && y(C, _(o[e]), v(t));
		}
		let [T, E] = Qh(e, n);
		if (a.fill != null || T != 0) {
			let t = S.fill = new Path2D(C), s = v(a.fillTo(e, n, a.min, a.max, T)), c = _(o[r]), l = _(o[i]);
			x == -1 && ([l, c] = [c, l]), y(t, l, s), y(t, c, s);
		}
		if (!a.spanGaps) {
			let l = [];
			w && l.push(...rg(o, s, r, i, x, _, t)), S.gaps = l = a.gaps(e, n, r, i, l), S.clip = tg(l, c.ori, f, p, m, h);
		}
		return E != 0 && (S.band = E == 2 ? [eg(e, n, r, i, C, -1), eg(e, n, r, i, C, 1)] : eg(e, n, r, i, C, E)), S;
	});
}
function xg(e) {
	let t = Q(e.align, 1), n = Q(e.ascDesc, !1), r = Q(e.alignGaps, 0), i = Q(e.extend, !1);
	return (e, a, o, s) => Zh(e, a, (c, l, u, d, f, p, m, h, g, _, v) => {
		[o, s] = $f(u, o, s);
		let y = c.pxRound, { left: b, width: x } = e.bbox, S = (e) => y(p(e, d, _, h)), C = (e) => y(m(e, f, v, g)), w = d.ori == 0 ? cg : lg, T = {
			stroke: new Path2D(),
			fill: null,
			clip: null,
			band: null,
			gaps: null,
			flags: Yh
		}, E = T.stroke, D = d.dir * (d.ori == 0 ? 1 : -1), O = C(u[D == 1 ? o : s]), ee = S(l[D == 1 ? o : s]), te = ee, k = ee;
		i && t == -1 && (k = b, w(E, k, O)), w(E, ee, O);
		for (let e = D == 1 ? o : s; e >= o && e <= s; e += D) {
			let n = u[e];
			if (n == null) continue;
			let r = S(l[e]), i = C(n);
			t == 1 ? w(E, r, O) : w(E, te, i), w(E, r, i), O = i, te = r;
		}
		let ne = te;
		i && t == 1 && (ne = b + x, w(E, ne, O));
		let [re, ie] = Qh(e, a);
		if (c.fill != null || re != 0) {
			let t = T.fill = new Path2D(E), n = C(c.fillTo(e, a, c.min, c.max, re));
			w(t, ne, n), w(t, k, n);
		}
		if (!c.spanGaps) {
			let i = [];
			i.push(...rg(l, u, o, s, D, S, r));
			let f = c.width * Z / 2, p = n || t == 1 ? f : -f, m = n || t == -1 ? -f : f;
			i.forEach((e) => {
				e[0] += p, e[1] += m;
			}), T.gaps = i = c.gaps(e, a, o, s, i), T.clip = tg(i, d.ori, h, g, _, v);
		}
		return ie != 0 && (T.band = ie == 2 ? [eg(e, a, o, s, E, -1), eg(e, a, o, s, E, 1)] : eg(e, a, o, s, E, ie)), T;
	});
}
function Sg(e, t, n, r, i, a, o = Dp) {
	if (e.length > 1) {
		let s = null;
		for (let c = 0, l = Infinity; c < e.length; c++) if (t[c] !== void 0) {
			if (s != null) {
				let t = hp(e[c] - e[s]);
				t < l && (l = t, o = hp(n(e[c], r, i, a) - n(e[s], r, i, a)));
			}
			s = c;
		}
	}
	return o;
}
function Cg(e) {
	e ||= Kp;
	let t = Q(e.size, [
		.6,
		Dp,
		1
	]), n = e.align || 0, r = e.gap || 0, i = e.radius;
	i = i == null ? [0, 0] : typeof i == "number" ? [i, 0] : i;
	let a = $(i), o = 1 - t[0], s = Q(t[1], Dp), c = Q(t[2], 1), l = Q(e.disp, Kp), u = Q(e.each, (e) => {}), { fill: d, stroke: f } = l;
	return (e, t, i, p) => Zh(e, t, (m, h, g, _, v, y, b, x, S, C, w) => {
		let T = m.pxRound, E = n, D = r * Z, O = s * Z, ee = c * Z, te, k;
		_.ori == 0 ? [te, k] = a(e, t) : [k, te] = a(e, t);
		let ne = _.dir * (_.ori == 0 ? 1 : -1), re = _.ori == 0 ? ug : dg, ie = _.ori == 0 ? u : (e, t, n, r, i, a, o) => {
			u(e, t, n, i, r, o, a);
		}, ae = Q(e.bands, qp).find((e) => e.series[0] == t), oe = ae == null ? 0 : ae.dir, se = m.fillTo(e, t, m.min, m.max, oe), A = T(b(se, v, w, S)), j, M, ce, le = C, N = T(m.width * Z), ue = !1, P = null, de = null, fe = null, pe = null;
		d != null && (N == 0 || f != null) && (ue = !0, P = d.values(e, t, i, p), de = /* @__PURE__ */ new Map(), new Set(P).forEach((e) => {
			e != null && de.set(e, new Path2D());
		}), N > 0 && (fe = f.values(e, t, i, p), pe = /* @__PURE__ */ new Map(), new Set(fe).forEach((e) => {
			e != null && pe.set(e, new Path2D());
		})));
		let { x0: me, size: he } = l;
		if (me != null && he != null) {
			E = 1, h = me.values(e, t, i, p), me.unit == 2 && (h = h.map((t) => e.posToVal(x + t * C, _.key, !0)));
			let n = he.values(e, t, i, p);
			M = he.unit == 2 ? n[0] * C : y(n[0], _, C, x) - y(0, _, C, x), le = Sg(h, g, y, _, C, x, le), ce = le - M + D;
		} else le = Sg(h, g, y, _, C, x, le), ce = le * o + D, M = le - ce;
		ce < 1 && (ce = 0), N >= M / 2 && (N = 0), ce < 5 && (T = Mp);
		let ge = ce > 0, _e = le - ce - (ge ? N : 0);
		M = T(kp(_e, ee, O)), j = (E == 0 ? M / 2 : E == ne ? 0 : M) - E * ne * ((E == 0 ? D / 2 : 0) + (ge ? N / 2 : 0));
		let ve = {
			stroke: null,
			fill: null,
			clip: null,
			band: null,
			gaps: null,
			flags: 0
		}, ye = ue ? null : new Path2D(), be = null;
		if (ae != null) be = e.data[ae.series[1]];
		else {
			let { y0: n, y1: r } = l;
			n != null && r != null && (g = r.values(e, t, i, p), be = n.values(e, t, i, p));
		}
		let xe = te * M, Se = k * M;
		for (let n = ne == 1 ? i : p; n >= i && n <= p; n += ne) {
			let r = g[n];
			if (r == null) continue;
			if (be != null) {
				let e = be[n] ?? 0;
				if (r - e == 0) continue;
				A = b(e, v, w, S);
			}
			let i = y(_.distr != 2 || l != null ? h[n] : n, _, C, x), a = b(Q(r, se), v, w, S), o = T(i - j), s = T(bp(a, A)), c = T(yp(a, A)), u = s - c;
			if (r != null) {
				let i = r < 0 ? Se : xe, a = r < 0 ? xe : Se;
				ue ? (N > 0 && fe[n] != null && re(pe.get(fe[n]), o, c + gp(N / 2), M, bp(0, u - N), i, a), P[n] != null && re(de.get(P[n]), o, c + gp(N / 2), M, bp(0, u - N), i, a)) : re(ye, o, c + gp(N / 2), M, bp(0, u - N), i, a), ie(e, t, n, o - N / 2, c, M + N, u);
			}
		}
		return N > 0 ? ve.stroke = ue ? pe : ye : ue || (ve._fill = m.width == 0 ? m._fill : m._stroke ?? m._fill, ve.width = 0), ve.fill = ue ? de : ye, ve;
	});
}
function wg(e, t) {
	let n = Q(t?.alignGaps, 0);
	return (t, r, i, a) => Zh(t, r, (o, s, c, l, u, d, f, p, m, h, g) => {
		[i, a] = $f(c, i, a);
		let _ = o.pxRound, v = (e) => _(d(e, l, h, p)), y = (e) => _(f(e, u, g, m)), b, x, S;
		l.ori == 0 ? (b = og, S = cg, x = mg) : (b = sg, S = lg, x = hg);
		let C = l.dir * (l.ori == 0 ? 1 : -1), w = v(s[C == 1 ? i : a]), T = w, E = [], D = [];
		for (let e = C == 1 ? i : a; e >= i && e <= a; e += C) if (c[e] != null) {
			let t = s[e], n = v(t);
			E.push(T = n), D.push(y(c[e]));
		}
		let O = {
			stroke: e(E, D, b, S, x, _),
			fill: null,
			clip: null,
			band: null,
			gaps: null,
			flags: Yh
		}, ee = O.stroke, [te, k] = Qh(t, r);
		if (o.fill != null || te != 0) {
			let e = O.fill = new Path2D(ee), n = y(o.fillTo(t, r, o.min, o.max, te));
			S(e, T, n), S(e, w, n);
		}
		if (!o.spanGaps) {
			let e = [];
			e.push(...rg(s, c, i, a, C, v, n)), O.gaps = e = o.gaps(t, r, i, a, e), O.clip = tg(e, l.ori, p, m, h, g);
		}
		return k != 0 && (O.band = k == 2 ? [eg(t, r, i, a, ee, -1), eg(t, r, i, a, ee, 1)] : eg(t, r, i, a, ee, k)), O;
	});
}
function Tg(e) {
	return wg(Eg, e);
}
function Eg(e, t, n, r, i, a) {
	let o = e.length;
	if (o < 2) return null;
	let s = new Path2D();
	if (n(s, e[0], t[0]), o == 2) r(s, e[1], t[1]);
	else {
		let n = Array(o), r = Array(o - 1), a = Array(o - 1), c = Array(o - 1);
		for (let n = 0; n < o - 1; n++) a[n] = t[n + 1] - t[n], c[n] = e[n + 1] - e[n], r[n] = a[n] / c[n];
		n[0] = r[0];
		for (let e = 1; e < o - 1; e++) r[e] === 0 || r[e - 1] === 0 || r[e - 1] > 0 != r[e] > 0 ? n[e] = 0 : (n[e] = 3 * (c[e - 1] + c[e]) / ((2 * c[e] + c[e - 1]) / r[e - 1] + (c[e] + 2 * c[e - 1]) / r[e]), isFinite(n[e]) || (n[e] = 0));
		n[o - 1] = r[o - 2];
		for (let r = 0; r < o - 1; r++) i(s, e[r] + c[r] / 3, t[r] + n[r] * c[r] / 3, e[r + 1] - c[r] / 3, t[r + 1] - n[r + 1] * c[r] / 3, e[r + 1], t[r + 1]);
	}
	return s;
}
var Dg = /* @__PURE__ */ new Set();
function Og() {
	for (let e of Dg) e.syncRect(!0);
}
Of && (qf(Cf, Af, Og), qf(wf, Af, Og, !0), qf(Ef, Af, () => {
	Wg.pxRatio = Z;
}));
var kg = bg(), Ag = gg();
function jg(e, t, n, r) {
	return (r ? [e[0], e[1]].concat(e.slice(2)) : [e[0]].concat(e.slice(1))).map((e, r) => Ng(e, r, t, n));
}
function Mg(e, t) {
	return e.map((e, n) => n == 0 ? {} : im({}, t, e));
}
function Ng(e, t, n, r) {
	return im({}, t == 0 ? n : r, e);
}
function Pg(e, t, n) {
	return t == null ? Jp : [t, n];
}
var Fg = Pg;
function Ig(e, t, n) {
	return t == null ? Jp : cp(t, n, ip, !0);
}
function Lg(e, t, n, r) {
	return t == null ? Jp : np(t, n, e.scales[r].log, !1);
}
var Rg = Lg;
function zg(e, t, n, r) {
	return t == null ? Jp : rp(t, n, e.scales[r].log, !1);
}
var Bg = zg;
function Vg(e, t, n, r, i) {
	let a = bp(Op(e), Op(t)), o = t - e, s = Yf(i / r * o, n);
	do {
		let e = n[s], t = r * e / o;
		if (t >= i && a + (e < 5 ? Up.get(e) : 0) <= 17) return [e, t];
	} while (++s < n.length);
	return [0, 0];
}
function Hg(e) {
	let t, n;
	return e = e.replace(/(\d+)px/, (e, r) => (t = _p((n = +r) * Z)) + "px"), [
		e,
		t,
		n
	];
}
function Ug(e) {
	e.show && [e.font, e.labelFont].forEach((e) => {
		let t = Hp(e[2] * Z, 1);
		e[0] = e[0].replace(/[0-9.]+px/, t + "px"), e[1] = t;
	});
}
function Wg(e, t, n) {
	let r = { mode: Q(e.mode, 1) }, i = r.mode;
	function a(e, t, n, r) {
		let i = t.valToPct(e);
		return r + n * (t.dir == -1 ? 1 - i : i);
	}
	function o(e, t, n, r) {
		let i = t.valToPct(e);
		return r + n * (t.dir == -1 ? i : 1 - i);
	}
	function s(e, t, n, r) {
		return t.ori == 0 ? a(e, t, n, r) : o(e, t, n, r);
	}
	r.valToPosH = a, r.valToPosV = o;
	let c = !1;
	r.status = 0;
	let l = r.root = Rf(Hd);
	if (e.id != null && (l.id = e.id), Pf(l, e.class), e.title) {
		let t = Rf(Gd, l);
		t.textContent = e.title;
	}
	let u = Lf("canvas"), d = r.ctx = u.getContext("2d"), f = Rf(Kd, l);
	qf("click", f, (e) => {
		e.target === m && (en != Xt || J != Zt) && nn.click(r, e);
	}, !0);
	let p = r.under = Rf(qd, f);
	f.appendChild(u);
	let m = r.over = Rf(Jd, f);
	e = rm(e);
	let h = +Q(e.pxAlign, 1), g = ig(h);
	(e.plugins || []).forEach((t) => {
		t.opts && (e = t.opts(r, e) || e);
	});
	let _ = e.ms || .001, v = r.series = i == 1 ? jg(e.series || [], wh, Uh, !1) : Mg(e.series || [null], Hh), y = r.axes = jg(e.axes || [], xh, Lh, !0), b = r.scales = {}, x = r.bands = e.bands || [];
	x.forEach((e) => {
		e.fill = $(e.fill || null), e.dir = Q(e.dir, -1);
	});
	let S = i == 2 ? v[1].facets[0].scale : v[0].scale, C = {
		axes: Lt,
		series: Dt
	}, w = (e.drawOrder || ["axes", "series"]).map((e) => C[e]);
	function T(e) {
		let t = e.distr == 3 ? (t) => Cp(t > 0 ? t : e.clamp(r, t, e.min, e.max, e.key)) : e.distr == 4 ? (t) => Ep(t, e.asinh) : e.distr == 100 ? (t) => e.fwd(t) : (e) => e;
		return (n) => {
			let r = t(n), { _min: i, _max: a } = e, o = a - i;
			return (r - i) / o;
		};
	}
	function E(t) {
		let n = b[t];
		if (n == null) {
			let r = (e.scales || Kp)[t] || Kp;
			if (r.from != null) {
				E(r.from);
				let e = im({}, b[r.from], r, { key: t });
				e.valToPct = T(e), b[t] = e;
			} else {
				n = b[t] = im({}, t == S ? Gh : Kh, r), n.key = t;
				let e = n.time, a = n.range, o = Yp(a);
				if ((t != S || i == 2 && !e) && (o && (a[0] == null || a[1] == null) && (a = {
					min: a[0] == null ? ap : {
						mode: 1,
						hard: a[0],
						soft: a[0]
					},
					max: a[1] == null ? ap : {
						mode: 1,
						hard: a[1],
						soft: a[1]
					}
				}, o = !1), !o && $p(a))) {
					let e = a;
					a = (t, n, r) => n == null ? Jp : cp(n, r, e);
				}
				n.range = $(a || (e ? Fg : t == S ? n.distr == 3 ? Rg : n.distr == 4 ? Bg : Pg : n.distr == 3 ? Lg : n.distr == 4 ? zg : Ig)), n.auto = $(!o && n.auto), n.clamp = $(n.clamp || Wh), n._min = n._max = null, n.valToPct = T(n);
			}
		}
	}
	E("x"), E("y"), i == 1 && v.forEach((e) => {
		E(e.scale);
	}), y.forEach((e) => {
		E(e.scale);
	});
	for (let t in e.scales) E(t);
	let D = b[S], O = D.distr, ee, te;
	D.ori == 0 ? (Pf(l, Ud), ee = a, te = o) : (Pf(l, Wd), ee = o, te = a);
	let k = {};
	for (let e in b) {
		let t = b[e];
		(t.min != null || t.max != null) && (k[e] = {
			min: t.min,
			max: t.max
		}, t.min = t.max = null);
	}
	let ne = e.tzDate || ((e) => new Date(_p(e / _))), re = e.fmtDate || Sm, ie = _ == 1 ? Gm(ne) : Jm(ne), ae = Xm(ne, Ym(_ == 1 ? Wm : qm, re)), oe = th(ne, $m(eh, re)), se = [], A = r.legend = im({}, ih, e.legend), j = r.cursor = im({}, ph, { drag: { y: i == 2 } }, e.cursor), M = A.show, ce = j.show, le = A.markers;
	A.idxs = se, le.width = $(le.width), le.dash = $(le.dash), le.stroke = $(le.stroke), le.fill = $(le.fill);
	let N, ue, P, de = [], fe = [], pe, me = !1, he = {};
	if (A.live) {
		let e = v[1] ? v[1].values : null;
		me = e != null, pe = me ? e(r, 1, 0) : { _: 0 };
		for (let e in pe) he[e] = Df;
	}
	if (M) {
		if (N = Lf("table", tf, l), P = Lf("tbody", null, N), A.mount(r, N), me) {
			ue = Lf("thead", null, N, P);
			let e = Lf("tr", null, ue);
			for (var ge in Lf("th", null, e), pe) Lf("th", sf, e).textContent = ge;
		} else Pf(N, rf), A.live && Pf(N, nf);
	}
	let _e = { show: !0 }, ve = { show: !1 };
	function ye(e, t) {
		if (t == 0 && (me || !A.live || i == 2)) return Jp;
		let n = [], a = Lf("tr", af, P, P.childNodes[t]);
		Pf(a, e.class), e.show || Pf(a, Xd);
		let o = Lf("th", null, a);
		if (le.show) {
			let e = Rf(of, o);
			if (t > 0) {
				let n = le.width(r, t);
				n && (e.style.border = n + "px " + le.dash(r, t) + " " + le.stroke(r, t)), e.style.background = le.fill(r, t);
			}
		}
		let s = Rf(sf, o);
		for (var c in e.label instanceof HTMLElement ? s.appendChild(e.label) : s.textContent = e.label, t > 0 && (le.show || (s.style.color = e.width > 0 ? le.stroke(r, t) : le.fill(r, t)), xe("click", o, (t) => {
			if (j._lock) return;
			We(t);
			let n = v.indexOf(e);
			if ((t.ctrlKey || t.metaKey) != A.isolate) {
				let e = v.some((e, t) => t > 0 && t != n && e.show);
				v.forEach((t, r) => {
					r > 0 && un(r, e ? r == n ? _e : ve : _e, !0, Yn.setSeries);
				});
			} else un(n, { show: !e.show }, !0, Yn.setSeries);
		}, !1), qe && xe(bf, o, (t) => {
			j._lock || (We(t), un(v.indexOf(e), vn, !0, Yn.setSeries));
		}, !1)), pe) {
			let e = Lf("td", cf, a);
			e.textContent = "--", n.push(e);
		}
		return [a, n];
	}
	let be = /* @__PURE__ */ new Map();
	function xe(e, t, n, i = !0) {
		let a = be.get(t) || {}, o = j.bind[e](r, t, n, i);
		o && (qf(e, t, a[e] = o), be.set(t, a));
	}
	function Se(e, t, n) {
		let r = be.get(t) || {};
		for (let n in r) (e == null || n == e) && (Jf(n, t, r[n]), delete r[n]);
		e ?? be.delete(t);
	}
	let Ce = 0, we = 0, F = 0, I = 0, L = 0, Te = 0, R = L, z = Te, Ee = F, De = I, Oe = 0, ke = 0, Ae = 0, je = 0;
	r.bbox = {};
	let Me = !1, Ne = !1, Pe = !1, Fe = !1, Ie = !1, Le = !1;
	function Re(e, t, n) {
		(n || e != r.width || t != r.height) && ze(e, t), Rt(!1), Pe = !0, Ne = !0, K();
	}
	function ze(e, t) {
		r.width = Ce = F = e, r.height = we = I = t, L = Te = 0, He(), Ue();
		let n = r.bbox;
		Oe = n.left = zp(L * Z, .5), ke = n.top = zp(Te * Z, .5), Ae = n.width = zp(F * Z, .5), je = n.height = zp(I * Z, .5);
	}
	function Be() {
		let e = !1, t = 0;
		for (; !e;) {
			t++;
			let n = Ft(t), i = It(t);
			e = t == 3 || n && i, e || (ze(r.width, r.height), Ne = !0);
		}
	}
	function Ve({ width: e, height: t }) {
		Re(e, t);
	}
	r.setSize = Ve;
	function He() {
		let e = !1, t = !1, n = !1, r = !1;
		y.forEach((i, a) => {
			if (i.show && i._show) {
				let { side: a, _size: o } = i, s = a % 2, c = o + (i.label == null ? 0 : i.labelSize);
				c > 0 && (s ? (F -= c, a == 3 ? (L += c, r = !0) : n = !0) : (I -= c, a == 0 ? (Te += c, e = !0) : t = !0));
			}
		}), tt[0] = e, tt[1] = n, tt[2] = t, tt[3] = r, F -= at[1] + at[3], L += at[3], I -= at[2] + at[0], Te += at[0];
	}
	function Ue() {
		let e = L + F, t = Te + I, n = L, r = Te;
		function i(i, a) {
			switch (i) {
				case 1: return e += a, e - a;
				case 2: return t += a, t - a;
				case 3: return n -= a, n + a;
				case 0: return r -= a, r + a;
			}
		}
		y.forEach((e, t) => {
			if (e.show && e._show) {
				let t = e.side;
				e._pos = i(t, e._size), e.label != null && (e._lpos = i(t, e.labelSize));
			}
		});
	}
	if (j.dataIdx == null) {
		let e = j.hover, n = e.skip = new Set(e.skip ?? []);
		n.add(void 0);
		let r = e.prox = $(e.prox), i = e.bias ??= 0;
		j.dataIdx = (e, a, o, s) => {
			if (a == 0) return o;
			let c = o, l = r(e, a, o, s) ?? Dp, u = l >= 0 && l < Dp, d = D.ori == 0 ? F : I, f = j.left, p = t[0], m = t[a];
			if (n.has(m[o])) {
				c = null;
				let e = null, t = null, r;
				if (i == 0 || i == -1) for (r = o; e == null && r-- > 0;) n.has(m[r]) || (e = r);
				if (i == 0 || i == 1) for (r = o; t == null && r++ < m.length;) n.has(m[r]) || (t = r);
				if (e != null || t != null) {
					if (u) {
						let n = e == null ? -Infinity : ee(p[e], D, d, 0), r = t == null ? Infinity : ee(p[t], D, d, 0), i = f - n, a = r - f;
						i <= a ? i <= l && (c = e) : a <= l && (c = t);
					} else c = t == null ? e : e == null ? t : o - e <= t - o ? e : t;
				}
			} else u && hp(f - ee(p[o], D, d, 0)) > l && (c = null);
			return c;
		};
	}
	let We = (e) => {
		j.event = e;
	};
	j.idxs = se, j._lock = !1;
	let Ge = j.points;
	Ge.show = $(Ge.show), Ge.size = $(Ge.size), Ge.stroke = $(Ge.stroke), Ge.width = $(Ge.width), Ge.fill = $(Ge.fill);
	let Ke = r.focus = im({}, e.focus || { alpha: .3 }, j.focus), qe = Ke.prox >= 0, Je = qe && Ge.one, Ye = [], B = [], Xe = [];
	function Ze(e, t) {
		let n = Ge.show(r, t);
		if (n instanceof HTMLElement) return Pf(n, ef), Pf(n, e.class), Bf(n, -10, -10, F, I), m.insertBefore(n, Ye[t]), n;
	}
	function Qe(e, t) {
		if (i == 1 || t > 0) {
			let t = i == 1 && b[e.scale].time, n = e.value;
			e.value = t ? Qp(n) ? th(ne, $m(n, re)) : n || oe : n || Ih, e.label = e.label || (t ? Ch : Sh);
		}
		if (Je || t > 0) {
			e.width = e.width == null ? 1 : e.width, e.paths = e.paths || kg || Pp, e.fillTo = $(e.fillTo || $h), e.pxAlign = +Q(e.pxAlign, h), e.pxRound = ig(e.pxAlign), e.stroke = $(e.stroke || null), e.fill = $(e.fill || null), e._stroke = e._fill = e._paths = e._focus = null;
			let t = Rh(bp(1, e.width), 1), n = e.points = im({}, {
				size: t,
				width: bp(1, t * .2),
				stroke: e.stroke,
				space: t * 2,
				paths: Ag,
				_stroke: null,
				_fill: null
			}, e.points);
			n.show = $(n.show), n.filter = $(n.filter), n.fill = $(n.fill), n.stroke = $(n.stroke), n.paths = $(n.paths), n.pxAlign = e.pxAlign;
		}
		if (M) {
			let n = ye(e, t);
			de.splice(t, 0, n[0]), fe.splice(t, 0, n[1]), A.values.push(null);
		}
		if (ce) {
			se.splice(t, 0, null);
			let n = null;
			Je ? t == 0 && (n = Ze(e, t)) : t > 0 && (n = Ze(e, t)), Ye.splice(t, 0, n), B.splice(t, 0, 0), Xe.splice(t, 0, 0);
		}
		qn("addSeries", t);
	}
	function $e(e, t) {
		t ??= v.length, e = i == 1 ? Ng(e, t, wh, Uh) : Ng(e, t, {}, Hh), v.splice(t, 0, e), Qe(v[t], t);
	}
	r.addSeries = $e;
	function et(e) {
		if (v.splice(e, 1), M) {
			A.values.splice(e, 1), fe.splice(e, 1);
			let t = de.splice(e, 1)[0];
			Se(null, t.firstChild), t.remove();
		}
		ce && (se.splice(e, 1), Ye.splice(e, 1)[0].remove(), B.splice(e, 1), Xe.splice(e, 1)), qn("delSeries", e);
	}
	r.delSeries = et;
	let tt = [
		!1,
		!1,
		!1,
		!1
	];
	function nt(e, t) {
		if (e._show = e.show, e.show) {
			let n = e.side % 2, i = b[e.scale];
			i ??= (e.scale = n ? v[1].scale : S, b[e.scale]);
			let a = i.time;
			e.size = $(e.size), e.space = $(e.space), e.rotate = $(e.rotate), Yp(e.incrs) && e.incrs.forEach((e) => {
				!Up.has(e) && Up.set(e, Wp(e));
			}), e.incrs = $(e.incrs || (i.distr == 2 ? km : a ? _ == 1 ? Um : Km : Am)), e.splits = $(e.splits || (a && i.distr == 1 ? ie : i.distr == 3 ? Dh : i.distr == 4 ? Oh : Eh)), e.stroke = $(e.stroke), e.grid.stroke = $(e.grid.stroke), e.ticks.stroke = $(e.ticks.stroke), e.border.stroke = $(e.border.stroke);
			let o = e.values;
			e.values = Yp(o) && !Yp(o[0]) ? $(o) : a ? Yp(o) ? Xm(ne, Ym(o, re)) : Qp(o) ? Zm(ne, o) : o || ae : o || Th, e.filter = $(e.filter || (i.distr >= 3 && i.log == 10 ? Ph : i.distr == 3 && i.log == 2 ? Fh : Np)), e.font = Hg(e.font), e.labelFont = Hg(e.labelFont), e._size = e.size(r, null, t, 0), e._space = e._rotate = e._incrs = e._found = e._splits = e._values = null, e._size > 0 && (tt[t] = !0, e._el = Rf(Yd, f));
		}
	}
	function rt(e, t, n, r) {
		let [i, a, o, s] = n, c = t % 2, l = 0;
		return c == 0 && (s || a) && (l = t == 0 && !i || t == 2 && !o ? _p(xh.size / 3) : 0), c == 1 && (i || o) && (l = t == 1 && !a || t == 3 && !s ? _p(Lh.size / 2) : 0), l;
	}
	let it = r.padding = (e.padding || [
		rt,
		rt,
		rt,
		rt
	]).map((e) => $(Q(e, rt))), at = r._padding = it.map((e, t) => e(r, t, tt, 0)), ot, st = null, ct = null, lt = i == 1 ? v[0].idxs : null, ut = null, dt = !1;
	function ft(e, n) {
		if (t = e ?? [], r.data = r._data = t, i == 2) {
			ot = 0;
			for (let e = 1; e < v.length; e++) ot += t[e][0].length;
		} else {
			t.length == 0 && (r.data = r._data = t = [[]]), ut = t[0], ot = ut.length;
			let e = t;
			if (O == 2) {
				e = t.slice();
				let n = e[0] = Array(ot);
				for (let e = 0; e < ot; e++) n[e] = e;
			}
			r._data = t = e;
		}
		if (Rt(!0), qn("setData"), O == 2 && (Pe = !0), n !== !1) {
			let e = D;
			e.auto(r, dt) ? pt() : ln(S, e.min, e.max), Fe ||= j.left >= 0, Le = !0, K();
		}
	}
	r.setData = ft;
	function pt() {
		dt = !0;
		let e, n;
		i == 1 && (ot > 0 ? (st = lt[0] = 0, ct = lt[1] = ot - 1, e = t[0][st], n = t[0][ct], O == 2 ? (e = st, n = ct) : e == n && (O == 3 ? [e, n] = np(e, e, D.log, !1) : O == 4 ? [e, n] = rp(e, e, D.log, !1) : D.time ? n = e + _p(86400 / _) : [e, n] = cp(e, n, ip, !0))) : (st = lt[0] = e = null, ct = lt[1] = n = null)), ln(S, e, n);
	}
	let mt, ht, gt, _t, vt, yt, bt, xt, V, H;
	function U(e, t, n, r, i, a) {
		e ??= gf, n ??= qp, r ??= "butt", i ??= gf, a ??= "round", e != mt && (d.strokeStyle = mt = e), i != ht && (d.fillStyle = ht = i), t != gt && (d.lineWidth = gt = t), a != vt && (d.lineJoin = vt = a), r != yt && (d.lineCap = yt = r), n != _t && d.setLineDash(_t = n);
	}
	function St(e, t, n, r) {
		t != ht && (d.fillStyle = ht = t), e != bt && (d.font = bt = e), n != xt && (d.textAlign = xt = n), r != V && (d.textBaseline = V = r);
	}
	function Ct(e, t, n, i, a = 0) {
		if (i.length > 0 && e.auto(r, dt) && (t == null || t.min == null)) {
			let t = Q(st, 0), r = Q(ct, i.length - 1), o = n.min == null ? tp(i, t, r, a, e.distr == 3) : [n.min, n.max];
			e.min = yp(e.min, n.min = o[0]), e.max = bp(e.max, n.max = o[1]);
		}
	}
	let wt = {
		min: null,
		max: null
	};
	function Tt() {
		for (let e in b) {
			let t = b[e];
			k[e] == null && (t.min == null || k[S] != null && t.auto(r, dt)) && (k[e] = wt);
		}
		for (let e in b) {
			let t = b[e];
			k[e] == null && t.from != null && k[t.from] != null && (k[e] = wt);
		}
		k[S] != null && Rt(!0);
		let e = {};
		for (let t in k) {
			let n = k[t];
			if (n != null) {
				let a = e[t] = rm(b[t], em);
				if (n.min != null) im(a, n);
				else if (t != S || i == 2) {
					if (ot == 0 && a.from == null) {
						let e = a.range(r, null, null, t);
						a.min = e[0], a.max = e[1];
					} else a.min = Dp, a.max = -Infinity;
				}
			}
		}
		if (ot > 0) {
			v.forEach((n, a) => {
				if (i == 1) {
					let i = n.scale, o = k[i];
					if (o == null) return;
					let s = e[i];
					if (a == 0) {
						let e = s.range(r, s.min, s.max, i);
						s.min = e[0], s.max = e[1], st = Yf(s.min, t[0]), ct = Yf(s.max, t[0]), ct - st > 1 && (t[0][st] < s.min && st++, t[0][ct] > s.max && ct--), n.min = ut[st], n.max = ut[ct];
					} else n.show && n.auto && Ct(s, o, n, t[a], n.sorted);
					n.idxs[0] = st, n.idxs[1] = ct;
				} else if (a > 0 && n.show && n.auto) {
					let [r, i] = n.facets, o = r.scale, s = i.scale, [c, l] = t[a], u = e[o], d = e[s];
					u != null && Ct(u, k[o], r, c, r.sorted), d != null && Ct(d, k[s], i, l, i.sorted), n.min = i.min, n.max = i.max;
				}
			});
			for (let t in e) {
				let n = e[t], i = k[t];
				if (n.from == null && (i == null || i.min == null)) {
					let e = n.range(r, n.min == Dp ? null : n.min, n.max == -Infinity ? null : n.max, t);
					n.min = e[0], n.max = e[1];
				}
			}
		}
		for (let t in e) {
			let n = e[t];
			if (n.from != null) {
				let i = e[n.from];
				if (i.min == null) n.min = n.max = null;
				else {
					let e = n.range(r, i.min, i.max, t);
					n.min = e[0], n.max = e[1];
				}
			}
		}
		let n = {}, a = !1;
		for (let t in e) {
			let r = e[t], i = b[t];
			if (i.min != r.min || i.max != r.max) {
				i.min = r.min, i.max = r.max;
				let e = i.distr;
				i._min = e == 3 ? Cp(i.min) : e == 4 ? Ep(i.min, i.asinh) : e == 100 ? i.fwd(i.min) : i.min, i._max = e == 3 ? Cp(i.max) : e == 4 ? Ep(i.max, i.asinh) : e == 100 ? i.fwd(i.max) : i.max, n[t] = a = !0;
			}
		}
		if (a) {
			v.forEach((e, t) => {
				i == 2 ? t > 0 && n.y && (e._paths = null) : n[e.scale] && (e._paths = null);
			});
			for (let e in n) Pe = !0, qn("setScale", e);
			ce && j.left >= 0 && (Fe = Le = !0);
		}
		for (let e in k) k[e] = null;
	}
	function Et(e) {
		let t = kp(st - 1, 0, ot - 1), n = kp(ct + 1, 0, ot - 1);
		for (; e[t] == null && t > 0;) t--;
		for (; e[n] == null && n < ot - 1;) n++;
		return [t, n];
	}
	function Dt() {
		if (ot > 0) {
			let e = v.some((e) => e._focus) && H != Ke.alpha;
			e && (d.globalAlpha = H = Ke.alpha), v.forEach((e, n) => {
				if (n > 0 && e.show && (Ot(n, !1), Ot(n, !0), e._paths == null)) {
					let a = H;
					H != e.alpha && (d.globalAlpha = H = e.alpha);
					let o = i == 2 ? [0, t[n][0].length - 1] : Et(t[n]);
					e._paths = e.paths(r, n, o[0], o[1]), H != a && (d.globalAlpha = H = a);
				}
			}), v.forEach((e, t) => {
				if (t > 0 && e.show) {
					let n = H;
					H != e.alpha && (d.globalAlpha = H = e.alpha), e._paths != null && kt(t, !1);
					{
						let n = e._paths == null ? null : e._paths.gaps, i = e.points.show(r, t, st, ct, n), a = e.points.filter(r, t, i, n);
						(i || a) && (e.points._paths = e.points.paths(r, t, st, ct, a), kt(t, !0));
					}
					H != n && (d.globalAlpha = H = n), qn("drawSeries", t);
				}
			}), e && (d.globalAlpha = H = 1);
		}
	}
	function Ot(e, t) {
		let n = t ? v[e].points : v[e];
		n._stroke = n.stroke(r, e), n._fill = n.fill(r, e);
	}
	function kt(e, t) {
		let n = t ? v[e].points : v[e], { stroke: r, fill: i, clip: a, flags: o, _stroke: s = n._stroke, _fill: c = n._fill, _width: l = n.width } = n._paths;
		l = Hp(l * Z, 3);
		let u = null, f = l % 2 / 2;
		t && c == null && (c = l > 0 ? "#fff" : s);
		let p = n.pxAlign == 1 && f > 0;
		if (p && d.translate(f, f), !t) {
			let e = Oe - l / 2, t = ke - l / 2, n = Ae + l, r = je + l;
			u = new Path2D(), u.rect(e, t, n, r);
		}
		t ? W(s, l, n.dash, n.cap, c, r, i, o, a) : At(e, s, l, n.dash, n.cap, c, r, i, o, u, a), p && d.translate(-f, -f);
	}
	function At(e, n, i, a, o, s, c, l, u, d, f) {
		let p = !1;
		u != 0 && x.forEach((m, h) => {
			if (m.series[0] == e) {
				let e = v[m.series[1]], g = t[m.series[1]], _ = (e._paths || Kp).band;
				Yp(_) && (_ = m.dir == 1 ? _[0] : _[1]);
				let y, b = null;
				e.show && _ && lp(g, st, ct) ? (b = m.fill(r, h) || s, y = e._paths.clip) : _ = null, W(n, i, a, o, b, c, l, u, d, f, y, _), p = !0;
			}
		}), p || W(n, i, a, o, s, c, l, u, d, f);
	}
	function W(e, t, n, r, i, a, o, s, c, l, u, f) {
		U(e, t, n, r, i), (c || l || f) && (d.save(), c && d.clip(c), l && d.clip(l)), f ? (s & 3) == 3 ? (d.clip(f), u && d.clip(u), Mt(i, o), jt(e, a, t)) : s & Xh ? (Mt(i, o), d.clip(f), jt(e, a, t)) : s & Yh && (d.save(), d.clip(f), u && d.clip(u), Mt(i, o), d.restore(), jt(e, a, t)) : (Mt(i, o), jt(e, a, t)), (c || l || f) && d.restore();
	}
	function jt(e, t, n) {
		n > 0 && (t instanceof Map ? t.forEach((e, t) => {
			d.strokeStyle = mt = t, d.stroke(e);
		}) : t != null && e && d.stroke(t));
	}
	function Mt(e, t) {
		t instanceof Map ? t.forEach((e, t) => {
			d.fillStyle = ht = t, d.fill(e);
		}) : t != null && e && d.fill(t);
	}
	function Nt(e, t, n, i) {
		let a = y[e], o;
		if (i <= 0) o = [0, 0];
		else {
			let s = a._space = a.space(r, e, t, n, i);
			o = Vg(t, n, a._incrs = a.incrs(r, e, t, n, i, s), i, s);
		}
		return a._found = o;
	}
	function Pt(e, t, n, r, i, a, o, s, c, l) {
		let u = o % 2 / 2;
		h == 1 && d.translate(u, u), U(s, o, c, l, s), d.beginPath();
		let f, p, m, g, _ = i + (r == 0 || r == 3 ? -a : a);
		n == 0 ? (p = i, g = _) : (f = i, m = _);
		for (let r = 0; r < e.length; r++) t[r] != null && (n == 0 ? f = m = e[r] : p = g = e[r], d.moveTo(f, p), d.lineTo(m, g));
		d.stroke(), h == 1 && d.translate(-u, -u);
	}
	function Ft(e) {
		let t = !0;
		return y.forEach((n, i) => {
			if (!n.show) return;
			let a = b[n.scale];
			if (a.min == null) {
				n._show && (t = !1, n._show = !1, Rt(!1));
				return;
			}
			n._show || (t = !1, n._show = !0, Rt(!1));
			let o = n.side, s = o % 2, { min: c, max: l } = a, [u, d] = Nt(i, c, l, s == 0 ? F : I);
			if (d == 0) return;
			let f = a.distr == 2, p = n._splits = n.splits(r, i, c, l, u, d, f), m = a.distr == 2 ? p.map((e) => ut[e]) : p, h = a.distr == 2 ? ut[p[1]] - ut[p[0]] : u, g = n._values = n.values(r, n.filter(r, m, i, d, h), i, d, h);
			n._rotate = o == 2 ? n.rotate(r, g, i, d) : 0;
			let _ = n._size;
			n._size = vp(n.size(r, g, i, e)), _ != null && n._size != _ && (t = !1);
		}), t;
	}
	function It(e) {
		let t = !0;
		return it.forEach((n, i) => {
			let a = n(r, i, tt, e);
			a != at[i] && (t = !1), at[i] = a;
		}), t;
	}
	function Lt() {
		for (let e = 0; e < y.length; e++) {
			let t = y[e];
			if (!t.show || !t._show) continue;
			let n = t.side, i = n % 2, a, o, c = t.stroke(r, e), l = n == 0 || n == 3 ? -1 : 1, [u, f] = t._found;
			if (t.label != null) {
				let s = t.labelGap * l, p = _p((t._lpos + s) * Z);
				St(t.labelFont[0], c, "center", n == 2 ? df : ff), d.save(), i == 1 ? (a = o = 0, d.translate(p, _p(ke + je / 2)), d.rotate((n == 3 ? -mp : mp) / 2)) : (a = _p(Oe + Ae / 2), o = p);
				let m = Ap(t.label) ? t.label(r, e, u, f) : t.label;
				d.fillText(m, a, o), d.restore();
			}
			if (f == 0) continue;
			let p = b[t.scale], m = i == 0 ? Ae : je, h = i == 0 ? Oe : ke, _ = t._splits, v = p.distr == 2 ? _.map((e) => ut[e]) : _, x = p.distr == 2 ? ut[_[1]] - ut[_[0]] : u, S = t.ticks, C = t.border, w = S.show ? S.size : 0, T = _p(w * Z), E = _p((t.alignTo == 2 ? t._size - w - t.gap : t.gap) * Z), D = t._rotate * -mp / 180, O = g(t._pos * Z), ee = O + (T + E) * l;
			o = i == 0 ? ee : 0, a = i == 1 ? ee : 0;
			let te = t.font[0];
			St(te, c, t.align == 1 ? pf : t.align == 2 ? mf : D > 0 ? pf : D < 0 ? mf : i == 0 ? "center" : n == 3 ? mf : pf, D || i == 1 ? "middle" : n == 2 ? df : ff);
			let k = t.font[1] * t.lineGap, ne = _.map((e) => g(s(e, p, m, h))), re = t._values;
			for (let e = 0; e < re.length; e++) {
				let t = re[e];
				if (t != null) {
					i == 0 ? a = ne[e] : o = ne[e], t = "" + t;
					let n = t.indexOf("\n") == -1 ? [t] : t.split(/\n/gm);
					for (let e = 0; e < n.length; e++) {
						let t = n[e];
						D ? (d.save(), d.translate(a, o + e * k), d.rotate(D), d.fillText(t, 0, 0), d.restore()) : d.fillText(t, a, o + e * k);
					}
				}
			}
			S.show && Pt(ne, S.filter(r, v, e, f, x), i, n, O, T, Hp(S.width * Z, 3), S.stroke(r, e), S.dash, S.cap);
			let ie = t.grid;
			ie.show && Pt(ne, ie.filter(r, v, e, f, x), i, i == 0 ? 2 : 1, i == 0 ? ke : Oe, i == 0 ? je : Ae, Hp(ie.width * Z, 3), ie.stroke(r, e), ie.dash, ie.cap), C.show && Pt([O], [1], +(i == 0), i == 0 ? 1 : 2, i == 1 ? ke : Oe, i == 1 ? je : Ae, Hp(C.width * Z, 3), C.stroke(r, e), C.dash, C.cap);
		}
		qn("drawAxes");
	}
	function Rt(e) {
		v.forEach((t, n) => {
			n > 0 && (t._paths = null, e && (i == 1 ? (t.min = null, t.max = null) : t.facets.forEach((e) => {
				e.min = null, e.max = null;
			})));
		});
	}
	let zt = !1, Bt = !1, Vt = [];
	function G() {
		Bt = !1;
		for (let e = 0; e < Vt.length; e++) qn(...Vt[e]);
		Vt.length = 0;
	}
	function K() {
		zt ||= (um(Ut), !0);
	}
	function Ht(e, t = !1) {
		zt = !0, Bt = t, e(r), Ut(), t && Vt.length > 0 && queueMicrotask(G);
	}
	r.batch = Ht;
	function Ut() {
		if (Me &&= (Tt(), !1), Pe &&= (Be(), !1), Ne) {
			if (If(p, pf, L), If(p, df, Te), If(p, lf, F), If(p, uf, I), If(m, pf, L), If(m, df, Te), If(m, lf, F), If(m, uf, I), If(f, lf, Ce), If(f, uf, we), u.width = _p(Ce * Z), u.height = _p(we * Z), y.forEach(({ _el: e, _show: t, _size: n, _pos: r, side: i }) => {
				if (e != null) {
					if (t) {
						let t = i === 3 || i === 0 ? n : 0, a = i % 2 == 1;
						If(e, a ? "left" : "top", r - t), If(e, a ? "width" : "height", n), If(e, a ? "top" : "left", a ? Te : L), If(e, a ? "height" : "width", a ? I : F), Ff(e, Xd);
					} else Pf(e, Xd);
				}
			}), mt = ht = gt = vt = yt = bt = xt = V = _t = null, H = 1, jn(!0), L != R || Te != z || F != Ee || I != De) {
				Rt(!1);
				let e = F / Ee, t = I / De;
				if (ce && !Fe && j.left >= 0) {
					j.left *= e, j.top *= t, qt && Bf(qt, _p(j.left), 0, F, I), q && Bf(q, 0, _p(j.top), F, I);
					for (let n = 0; n < Ye.length; n++) {
						let r = Ye[n];
						r != null && (B[n] *= e, Xe[n] *= t, Bf(r, vp(B[n]), vp(Xe[n]), F, I));
					}
				}
				if (Y.show && !Ie && Y.left >= 0 && Y.width > 0) {
					Y.left *= e, Y.width *= e, Y.top *= t, Y.height *= t;
					for (let e in Pn) If(on, e, Y[e]);
				}
				R = L, z = Te, Ee = F, De = I;
			}
			qn("setSize"), Ne = !1;
		}
		Ce > 0 && we > 0 && (d.clearRect(0, 0, u.width, u.height), qn("drawClear"), w.forEach((e) => e()), qn("draw")), Y.show && Ie && (sn(Y), Ie = !1), ce && Fe && (kn(null, !0, !1), Fe = !1), A.show && A.live && Le && (Dn(), Le = !1), c || (c = !0, r.status = 1, qn("ready")), dt = !1, zt = !1;
	}
	r.redraw = (e, t) => {
		Pe = t || !1, e === !1 ? K() : ln(S, D.min, D.max);
	};
	function Wt(e, n) {
		let i = b[e];
		if (i.from == null) {
			if (ot == 0) {
				let t = i.range(r, n.min, n.max, e);
				n.min = t[0], n.max = t[1];
			}
			if (n.min > n.max) {
				let e = n.min;
				n.min = n.max, n.max = e;
			}
			if (ot > 1 && n.min != null && n.max != null && n.max - n.min < 1e-16) return;
			e == S && i.distr == 2 && ot > 0 && (n.min = Yf(n.min, t[0]), n.max = Yf(n.max, t[0]), n.min == n.max && n.max++), k[e] = n, Me = !0, K();
		}
	}
	r.setScale = Wt;
	let Gt, Kt, qt, q, Jt, Yt, Xt, Zt, Qt, $t, en, J, tn = !1, nn = j.drag, rn = nn.x, an = nn.y;
	ce && (j.x && (Gt = Rf(Qd, m)), j.y && (Kt = Rf($d, m)), D.ori == 0 ? (qt = Gt, q = Kt) : (qt = Kt, q = Gt), en = j.left, J = j.top);
	let Y = r.select = im({
		show: !0,
		over: !0,
		left: 0,
		width: 0,
		top: 0,
		height: 0
	}, e.select), on = Y.show ? Rf(Zd, Y.over ? m : p) : null;
	function sn(e, t) {
		if (Y.show) {
			for (let t in e) Y[t] = e[t], t in Pn && If(on, t, e[t]);
			t !== !1 && qn("setSelect");
		}
	}
	r.setSelect = sn;
	function cn(e) {
		if (v[e].show) M && Ff(de[e], Xd);
		else if (M && Pf(de[e], Xd), ce) {
			let t = Je ? Ye[0] : Ye[e];
			t != null && Bf(t, -10, -10, F, I);
		}
	}
	function ln(e, t, n) {
		Wt(e, {
			min: t,
			max: n
		});
	}
	function un(e, t, n, a) {
		t.focus != null && yn(e), t.show != null && v.forEach((n, r) => {
			r > 0 && (e == r || e == null) && (n.show = t.show, cn(r), i == 2 ? (ln(n.facets[0].scale, null, null), ln(n.facets[1].scale, null, null)) : ln(n.scale, null, null), K());
		}), n !== !1 && qn("setSeries", e, t), a && Qn("setSeries", r, e, t);
	}
	r.setSeries = un;
	function dn(e, t) {
		im(x[e], t);
	}
	function fn(e, t) {
		e.fill = $(e.fill || null), e.dir = Q(e.dir, -1), t ??= x.length, x.splice(t, 0, e);
	}
	function pn(e) {
		e == null ? x.length = 0 : x.splice(e, 1);
	}
	r.addBand = fn, r.setBand = dn, r.delBand = pn;
	function mn(e, t) {
		v[e].alpha = t, ce && Ye[e] != null && (Ye[e].style.opacity = t), M && de[e] && (de[e].style.opacity = t);
	}
	let hn, gn, _n, vn = { focus: !0 };
	function yn(e) {
		if (e != _n) {
			let t = e == null, n = Ke.alpha != 1;
			v.forEach((r, a) => {
				if (i == 1 || a > 0) {
					let i = t || a == 0 || a == e;
					r._focus = t ? null : i, n && mn(a, i ? 1 : Ke.alpha);
				}
			}), _n = e, n && K();
		}
	}
	M && qe && xe(xf, N, (e) => {
		j._lock || (We(e), _n != null && un(null, vn, !0, Yn.setSeries));
	});
	function bn(e, t, n) {
		let r = b[t];
		n && (e = e / Z - (r.ori == 1 ? Te : L));
		let i = F;
		r.ori == 1 && (i = I, e = i - e), r.dir == -1 && (e = i - e);
		let a = r._min, o = r._max, s = e / i, c = a + (o - a) * s, l = r.distr;
		return l == 3 ? xp(10, c) : l == 4 ? Tp(c, r.asinh) : l == 100 ? r.bwd(c) : c;
	}
	function xn(e, n) {
		return Yf(bn(e, S, n), t[0], st, ct);
	}
	r.valToIdx = (e) => Yf(e, t[0]), r.posToIdx = xn, r.posToVal = bn, r.valToPos = (e, t, n) => b[t].ori == 0 ? a(e, b[t], n ? Ae : F, n ? Oe : 0) : o(e, b[t], n ? je : I, n ? ke : 0), r.setCursor = (e, t, n) => {
		en = e.left, J = e.top, kn(null, t, n);
	};
	function Sn(e, t) {
		If(on, pf, Y.left = e), If(on, lf, Y.width = t);
	}
	function Cn(e, t) {
		If(on, df, Y.top = e), If(on, uf, Y.height = t);
	}
	let wn = D.ori == 0 ? Sn : Cn, Tn = D.ori == 1 ? Sn : Cn;
	function En() {
		if (M && A.live) for (let e = +(i == 2); e < v.length; e++) {
			if (e == 0 && me) continue;
			let t = A.values[e], n = 0;
			for (let r in t) fe[e][n++].firstChild.nodeValue = t[r];
		}
	}
	function Dn(e, t) {
		if (e != null && (e.idxs ? e.idxs.forEach((e, t) => {
			se[t] = e;
		}) : Zp(e.idx) || se.fill(e.idx), A.idx = se[0]), M && A.live) {
			for (let e = 0; e < v.length; e++) (e > 0 || i == 1 && !me) && On(e, se[e]);
			En();
		}
		Le = !1, t !== !1 && qn("setLegend");
	}
	r.setLegend = Dn;
	function On(e, n) {
		let i = v[e], a = e == 0 && O == 2 ? ut : t[e], o;
		me ? o = i.values(r, e, n) ?? he : (o = i.value(r, n == null ? null : a[n], e, n), o = o == null ? he : { _: o }), A.values[e] = o;
	}
	function kn(e, n, a) {
		Qt = en, $t = J, [en, J] = j.move(r, en, J), j.left = en, j.top = J, ce && (qt && Bf(qt, _p(en), 0, F, I), q && Bf(q, 0, _p(J), F, I));
		let o, s = st > ct;
		hn = Dp, gn = null;
		let c = D.ori == 0 ? F : I, l = D.ori == 1 ? F : I;
		if (en < 0 || ot == 0 || s) {
			o = j.idx = null;
			for (let e = 0; e < v.length; e++) {
				let t = Ye[e];
				t != null && Bf(t, -10, -10, F, I);
			}
			qe && un(null, vn, !0, e == null && Yn.setSeries), A.live && (se.fill(o), Le = !0);
		} else {
			let e, n, a;
			i == 1 && (e = D.ori == 0 ? en : J, n = bn(e, S), o = j.idx = Yf(n, t[0], st, ct), a = ee(t[0][o], D, c, 0));
			let s = -10, u = -10, d = 0, f = 0, p = !0, m = "", h = "";
			for (let e = +(i == 2); e < v.length; e++) {
				let g = v[e], _ = se[e], y = _ == null ? null : i == 1 ? t[e][_] : t[e][1][_], x = j.dataIdx(r, e, o, n), S = x == null ? null : i == 1 ? t[e][x] : t[e][1][x];
				if (Le = Le || S != y || x != _, se[e] = x, e > 0 && g.show) {
					let n = x == null ? -10 : x == o ? a : ee(i == 1 ? t[0][x] : t[e][0][x], D, c, 0), _ = S == null ? -10 : te(S, i == 1 ? b[g.scale] : b[g.facets[1].scale], l, 0);
					if (qe && S != null) {
						let t = D.ori == 1 ? en : J, n = hp(Ke.dist(r, e, x, _, t));
						if (n < hn) {
							let r = Ke.bias;
							if (r != 0) {
								let i = bn(t, g.scale), a = S >= 0 ? 1 : -1, o = i >= 0 ? 1 : -1;
								o == a && (o == 1 ? r == 1 ? S >= i : S <= i : r == 1 ? S <= i : S >= i) && (hn = n, gn = e);
							} else hn = n, gn = e;
						}
					}
					if (Le || Je) {
						let t, i;
						D.ori == 0 ? (t = n, i = _) : (t = _, i = n);
						let a, o, c, l, g, v, y = !0, b = Ge.bbox;
						if (b != null) {
							y = !1;
							let t = b(r, e);
							c = t.left, l = t.top, a = t.width, o = t.height;
						} else c = t, l = i, a = o = Ge.size(r, e);
						if (v = Ge.fill(r, e), g = Ge.stroke(r, e), Je) e == gn && hn <= Ke.prox && (s = c, u = l, d = a, f = o, p = y, m = v, h = g);
						else {
							let t = Ye[e];
							t != null && (B[e] = c, Xe[e] = l, Wf(t, a, o, y), Hf(t, v, g), Bf(t, vp(c), vp(l), F, I));
						}
					}
				}
			}
			if (Je) {
				let e = Ke.prox;
				if (Le || (_n == null ? hn <= e : hn > e || gn != _n)) {
					let e = Ye[0];
					e != null && (B[0] = s, Xe[0] = u, Wf(e, d, f, p), Hf(e, m, h), Bf(e, vp(s), vp(u), F, I));
				}
			}
		}
		if (Y.show && tn) {
			if (e != null) {
				let [t, n] = Yn.scales, [r, i] = Yn.match, [a, o] = e.cursor.sync.scales, s = e.cursor.drag;
				if (rn = s._x, an = s._y, rn || an) {
					let { left: s, top: u, width: d, height: f } = e.select, p = e.scales[a].ori, m = e.posToVal, h, g, _, v, y, x = t != null && r(t, a), S = n != null && i(n, o);
					x && rn ? (p == 0 ? (h = s, g = d) : (h = u, g = f), _ = b[t], v = ee(m(h, a), _, c, 0), y = ee(m(h + g, a), _, c, 0), wn(yp(v, y), hp(y - v))) : wn(0, c), S && an ? (p == 1 ? (h = s, g = d) : (h = u, g = f), _ = b[n], v = te(m(h, o), _, l, 0), y = te(m(h + g, o), _, l, 0), Tn(yp(v, y), hp(y - v))) : Tn(0, l);
				} else Fn();
			} else {
				let e = hp(Qt - Jt), t = hp($t - Yt);
				if (D.ori == 1) {
					let n = e;
					e = t, t = n;
				}
				rn = nn.x && e >= nn.dist, an = nn.y && t >= nn.dist;
				let n = nn.uni;
				n == null ? nn.x && nn.y && (rn || an) && (rn = an = !0) : rn && an && (rn = e >= n, an = t >= n, !rn && !an && (t > e ? an = !0 : rn = !0));
				let r, i;
				rn && (D.ori == 0 ? (r = Xt, i = en) : (r = Zt, i = J), wn(yp(r, i), hp(i - r)), an || Tn(0, l)), an && (D.ori == 1 ? (r = Xt, i = en) : (r = Zt, i = J), Tn(yp(r, i), hp(i - r)), rn || wn(0, c)), !rn && !an && (wn(0, 0), Tn(0, 0));
			}
		}
		if (nn._x = rn, nn._y = an, e == null) {
			if (a) {
				if (Xn != null) {
					let [e, t] = Yn.scales;
					Yn.values[0] = e == null ? null : bn(D.ori == 0 ? en : J, e), Yn.values[1] = t == null ? null : bn(D.ori == 1 ? en : J, t);
				}
				Qn(_f, r, en, J, F, I, o);
			}
			if (qe) {
				let e = a && Yn.setSeries, t = Ke.prox;
				_n == null ? hn <= t && un(gn, vn, !0, e) : hn > t ? un(null, vn, !0, e) : gn != _n && un(gn, vn, !0, e);
			}
		}
		Le && (A.idx = o, Dn()), n !== !1 && qn("setCursor");
	}
	let An = null;
	Object.defineProperty(r, "rect", { get() {
		return An ?? jn(!1), An;
	} });
	function jn(e = !1) {
		e ? An = null : (An = m.getBoundingClientRect(), qn("syncRect", An));
	}
	function Mn(e, t, n, r, i, a, o) {
		j._lock || tn && e != null && e.movementX == 0 && e.movementY == 0 || (Nn(e, t, n, r, i, a, o, !1, e != null), e == null ? kn(t, !0, !1) : kn(null, !0, !0));
	}
	function Nn(e, t, n, i, a, o, c, l, u) {
		if (An ?? jn(!1), We(e), e != null) n = e.clientX - An.left, i = e.clientY - An.top;
		else {
			if (n < 0 || i < 0) {
				en = -10, J = -10;
				return;
			}
			let [e, r] = Yn.scales, c = t.cursor.sync, [l, u] = c.values, [d, f] = c.scales, [p, m] = Yn.match, h = t.axes[0].side % 2 == 1, g = D.ori == 0 ? F : I, _ = D.ori == 1 ? F : I, v = h ? o : a, y = h ? a : o, x = h ? i : n, S = h ? n : i;
			if (n = d == null ? x / v * g : p(e, d) ? s(l, b[e], g, 0) : -10, i = f == null ? S / y * _ : m(r, f) ? s(u, b[r], _, 0) : -10, D.ori == 1) {
				let e = n;
				n = i, i = e;
			}
		}
		u && (t == null || t.cursor.event.type == _f) && ((n <= 1 || n >= F - 1) && (n = zp(n, F)), (i <= 1 || i >= I - 1) && (i = zp(i, I))), l ? (Jt = n, Yt = i, [Xt, Zt] = j.move(r, n, i)) : (en = n, J = i);
	}
	let Pn = {
		width: 0,
		height: 0,
		left: 0,
		top: 0
	};
	function Fn() {
		sn(Pn, !1);
	}
	let In, Ln, Rn, zn;
	function Bn(e, t, n, i, a, o, s) {
		tn = !0, rn = an = nn._x = nn._y = !1, Nn(e, t, n, i, a, o, s, !0, !1), e != null && (xe(yf, kf, Vn, !1), Qn(vf, r, Xt, Zt, F, I, null));
		let { left: c, top: l, width: u, height: d } = Y;
		In = c, Ln = l, Rn = u, zn = d;
	}
	function Vn(e, t, n, i, a, o, s) {
		tn = nn._x = nn._y = !1, Nn(e, t, n, i, a, o, s, !1, !0);
		let { left: c, top: l, width: u, height: d } = Y, f = u > 0 || d > 0, p = In != c || Ln != l || Rn != u || zn != d;
		if (f && p && sn(Y), nn.setScale && f && p) {
			let e = c, t = u, n = l, r = d;
			if (D.ori == 1 && (e = l, t = d, n = c, r = u), rn && ln(S, bn(e, S), bn(e + t, S)), an) for (let e in b) {
				let t = b[e];
				e != S && t.from == null && t.min != Dp && ln(e, bn(n + r, e), bn(n, e));
			}
			Fn();
		} else j.lock && (j._lock = !j._lock, kn(t, !0, e != null));
		e != null && (Se(yf, kf), Qn(yf, r, en, J, F, I, null));
	}
	function Hn(e, t, n, r, i, a, o) {
		if (j._lock) return;
		We(e);
		let s = tn;
		if (tn) {
			let e = !0, t = !0, n, r;
			D.ori == 0 ? (n = rn, r = an) : (n = an, r = rn), n && r && (e = en <= 10 || en >= F - 10, t = J <= 10 || J >= I - 10), n && e && (en = en < Xt ? 0 : F), r && t && (J = J < Zt ? 0 : I), kn(null, !0, !0), tn = !1;
		}
		en = -10, J = -10, se.fill(null), kn(null, !0, !0), s && (tn = s);
	}
	function Un(e, t, n, i, a, o, s) {
		j._lock || (We(e), pt(), Fn(), e != null && Qn(Sf, r, en, J, F, I, null));
	}
	function Wn() {
		y.forEach(Ug), Re(r.width, r.height, !0);
	}
	qf(Ef, Af, Wn);
	let Gn = {};
	Gn.mousedown = Bn, Gn.mousemove = Mn, Gn.mouseup = Vn, Gn.dblclick = Un, Gn.setSeries = (e, t, n, i) => {
		let a = Yn.match[2];
		n = a(r, t, n), n != -1 && un(n, i, !0, !1);
	}, ce && (xe(vf, m, Bn), xe(_f, m, Mn), xe(bf, m, (e) => {
		We(e), jn(!1);
	}), xe(xf, m, Hn), xe(Sf, m, Un), Dg.add(r), r.syncRect = jn);
	let Kn = r.hooks = e.hooks || {};
	function qn(e, t, n) {
		Bt ? Vt.push([
			e,
			t,
			n
		]) : e in Kn && Kn[e].forEach((e) => {
			e.call(null, r, t, n);
		});
	}
	(e.plugins || []).forEach((e) => {
		for (let t in e.hooks) Kn[t] = (Kn[t] || []).concat(e.hooks[t]);
	});
	let Jn = (e, t, n) => n, Yn = im({
		key: null,
		setSeries: !1,
		filters: {
			pub: Fp,
			sub: Fp
		},
		scales: [S, v[1] ? v[1].scale : null],
		match: [
			Ip,
			Ip,
			Jn
		],
		values: [null, null]
	}, j.sync);
	Yn.match.length == 2 && Yn.match.push(Jn), j.sync = Yn;
	let Xn = Yn.key, Zn = Jh(Xn);
	function Qn(e, t, n, r, i, a, o) {
		Yn.filters.pub(e, t, n, r, i, a, o) && Zn.pub(e, t, n, r, i, a, o);
	}
	Zn.sub(r);
	function $n(e, t, n, r, i, a, o) {
		Yn.filters.sub(e, t, n, r, i, a, o) && Gn[e](null, t, n, r, i, a, o);
	}
	r.pub = $n;
	function er() {
		Zn.unsub(r), Dg.delete(r), be.clear(), Jf(Ef, Af, Wn), l.remove(), N?.remove(), qn("destroy");
	}
	r.destroy = er;
	function X() {
		qn("init", e, t), ft(t || e.data, !1), k[S] ? Wt(S, k[S]) : pt(), Ie = Y.show && (Y.width > 0 || Y.height > 0), Fe = Le = !0, Re(e.width, e.height);
	}
	return v.forEach(Qe), y.forEach(nt), n ? n instanceof HTMLElement ? (n.appendChild(l), X()) : n(r, X) : X(), r;
}
Wg.assign = im, Wg.fmtNum = fp, Wg.rangeNum = cp, Wg.rangeLog = np, Wg.rangeAsinh = rp, Wg.orient = Zh, Wg.pxRatio = Z, Wg.join = lm, Wg.fmtDate = Sm, Wg.tzDate = wm, Wg.sync = Jh;
{
	Wg.addGap = ng, Wg.clipGaps = tg;
	let e = Wg.paths = { points: gg };
	e.linear = bg, e.stepped = xg, e.bars = Cg, e.spline = Tg;
}
var Gg = 6;
function Kg(e, t) {
	let [n, r] = [e.toLowerCase(), t.toLowerCase().replace(/\s+/g, "")], i = 0;
	for (let e of r) if (i = n.indexOf(e, i) + 1, i === 0) return !1;
	return !0;
}
function qg(e, t) {
	return `${t ? `rank ${e.rank} ` : ""}${e.group} ${e.name}`;
}
var Jg = class {
	lines = [];
	lineOf = /* @__PURE__ */ new Map();
	y = 0;
	heading(e, t, n) {
		let r = n ? 24 : 20;
		this.lines.push({
			kind: "heading",
			text: e,
			strong: n,
			rank: t,
			y: this.y,
			size: r
		}), this.y += r;
	}
	track(e, t, n) {
		let r = e.rows.length, i = t ? r > 10 ? 8 : Math.min(1, r) : r;
		e.rows.slice(0, i).forEach((t, a) => {
			let o = r - i, s = a === 0 ? n : a === 1 && o ? `+ ${o} rows` : "", c = {
				kind: "row",
				key: t.key,
				track: e,
				label: s,
				first: a === 0,
				rank: e.rank,
				y: this.y,
				size: 18
			};
			this.lines.push(c), this.lineOf.set(t.key, c), this.y += 18;
		}), this.y += Gg;
	}
	counter(e, t) {
		this.lines.push({
			kind: "counter",
			counter: e,
			rank: t,
			y: this.y,
			size: 46
		}), this.y += 52;
	}
};
function Yg(e, t) {
	let n = new Jg(), r = e.length > 1;
	for (let i of e) {
		if (t.rank !== null && r && i.rank !== t.rank) continue;
		let e = i.tracks.filter((e) => !t.hidden.has(e.key) && !t.pinned.has(e.key) && Kg(qg(e, r), t.filter)), a = i.counters.filter((e) => e.points.length > 0 && Kg(e.name, t.filter));
		r && e.length + a.length > 0 && n.heading(`Rank ${i.rank}`, i.rank, !0);
		let o = null;
		for (let r of e) r.group !== o && n.heading(o = r.group, i.rank, !1), n.track(r, t.folded.has(r.key), r.name);
		for (let e of a) n.counter(e, i.rank);
	}
	return {
		lines: n.lines,
		lineOf: n.lineOf,
		height: n.y + Gg
	};
}
function Xg(e, t) {
	let n = new Jg();
	for (let r of e) for (let i of r.tracks) t.pinned.has(i.key) && n.track(i, t.folded.has(i.key), qg(i, e.length > 1));
	return {
		lines: n.lines,
		lineOf: n.lineOf,
		height: n.y
	};
}
function Zg(e, t) {
	let n = 0, r = e.length;
	for (; n < r;) {
		let i = n + r >> 1;
		e[i].y + e[i].size > t ? r = i : n = i + 1;
	}
	let i = e[n];
	return i && i.y <= t ? i : void 0;
}
var Qg = class {
	data;
	lod;
	rowByKey;
	#e;
	constructor(e) {
		this.data = e, this.lod = new Wu(e), this.rowByKey = new Map(e.rows.map((e) => [e.key, e]));
	}
	get #t() {
		if (this.#e) return this.#e;
		let { launch: e, total: t } = this.data, n = new Uint32Array(t + 1);
		for (let r = 0; r < t; r++) {
			let i = e[r];
			i >= 0 && i < t && n[i + 1]++;
		}
		for (let e = 0; e < t; e++) n[e + 1] += n[e];
		let r = new Uint32Array(n[t]), i = n.slice();
		for (let n = 0; n < t; n++) {
			let a = e[n];
			a >= 0 && a < t && (r[i[a]++] = n);
		}
		return this.#e = {
			first: n,
			children: r
		};
	}
	rowOf(e) {
		let { rows: t } = this.data, n = 0, r = t.length - 1;
		for (; n < r;) {
			let i = n + r + 1 >> 1;
			t[i].from <= e ? n = i : r = i - 1;
		}
		return t[n];
	}
	classOf(e) {
		return this.data.head.class[this.data.name[e]] ?? 0;
	}
	nameOf(e) {
		return this.data.head.names[this.data.name[e]] ?? "";
	}
	labelOf(e) {
		let { head: t, name: n, count: r } = this.data, i = t.short[n[e]] || t.names[n[e]] || "";
		return r[e] > 1 ? `${r[e].toLocaleString("en")} × ${i}` : i;
	}
	caller(e, t = () => !0) {
		let { start: n, end: r } = this.data, i = this.rowOf(e), { rows: a } = i.track;
		for (let o = a.indexOf(i) - 1; o >= 0 && a[o].band === i.band; o--) {
			let i = a[o], s = this.lod.after(i.from, i.to, n[e]);
			if (!(s >= i.to || n[s] > n[e] || r[s] < r[e]) && t(s)) return s;
		}
		return -1;
	}
	operator(e) {
		return this.caller(e, (e) => this.classOf(e) === 0 && this.data.count[e] === 1);
	}
	arrows(e, t) {
		if (e < 0) return [];
		let { launch: n, start: r, end: i } = this.data;
		if (n[e] >= 0) return [[n[e], e]];
		let { first: a, children: o } = this.#t, s = Array.from(o.subarray(a[e], Math.min(a[e + 1], a[e] + 200)), (t) => [e, t]), c = this.rowOf(e);
		if (s.length || !t || c.track.stream) return s;
		let l = [];
		for (let t of c.track.rows) if (!(t.band !== c.band || t.depth <= c.depth)) {
			for (let n = this.lod.after(t.from, t.to, r[e]); n < t.to && r[n] < i[e]; n++) for (let e = a[n]; e < a[n + 1]; e++) if (l.push([n, o[e]]), l.length >= 200) return l;
		}
		return l;
	}
	at(e, t, n) {
		let { start: r, end: i } = this.data, a = -1, o = n, s = this.lod.after(e.from, e.to, t - n), c = this.lod.after(s, e.to, t + n);
		if (c - s > 64) return this.lod.longest(s, Math.min(e.to, c + 1));
		for (let c = s; c < e.to && r[c] <= t + n; c++) {
			let e = Math.max(r[c] - t, t - i[c], 0);
			(e < o || e === o && a >= 0 && i[c] - r[c] > i[a] - r[a]) && (a = c, o = e);
		}
		return a;
	}
	find(e, t, n) {
		let r = this.rowByKey.get(e);
		if (!r) return -1;
		let i = this.lod.after(r.from, r.to, t);
		return i < r.to && this.data.start[i] === t && this.nameOf(i) === n ? i : -1;
	}
}, $g = [
	"surface",
	"raised",
	"text",
	"quiet",
	"line",
	"link"
];
function e_(e, t) {
	return e.offsets.get(t) ?? 0;
}
function t_(e, t, n) {
	return e.margin + e.viewport.toPixel(t - e_(e, n));
}
function n_(e, t, n) {
	return e.viewport.toAxis(t - e.margin) + e_(e, n);
}
function r_(e) {
	return 30 + e.pinned.height;
}
function i_(e, t) {
	let n = e.pinned.lineOf.get(t);
	if (n) return 30 + n.y;
	let r = e.scrolling.lineOf.get(t);
	return r ? r_(e) + r.y - e.top : void 0;
}
function a_(e, t) {
	if (t < 30) return;
	let n = r_(e);
	return t < n ? Zg(e.pinned.lines, t - 30) : Zg(e.scrolling.lines, t - n + e.top);
}
function o_(e, t, n, r) {
	let i = [];
	for (let a of t.lines) {
		let t = n + a.y;
		t + a.size > r && t < e.height && i.push({
			line: a,
			y: t
		});
	}
	return i;
}
function s_(e, t, n) {
	let r = a_(e, n);
	if (r?.kind !== "row" || t < e.margin) return;
	let i = e.slices.rowByKey.get(r.key);
	if (!i) return;
	let a = 2 * e.viewport.length / e.viewport.width, o = e.slices.at(i, n_(e, t, r.rank), a);
	return o < 0 ? void 0 : {
		entry: o,
		line: r
	};
}
function c_(e, t, n) {
	let r = /* @__PURE__ */ new Set(), [i, a] = [Math.min(t, n), Math.max(t, n)];
	for (let t of [...e.pinned.lineOf.keys(), ...e.scrolling.lineOf.keys()]) {
		let n = i_(e, t) ?? -1, o = e.pinned.lineOf.has(t) ? 30 : r_(e);
		n + 18 > Math.max(i, o) && n < a && r.add(t);
	}
	return r;
}
// src/views/timeline/paint.ts
var l_ = "11px system-ui, sans-serif", u_ = 28, d_ = 2;
function f_(e) {
	return e ? "#ff9155" : "#c43d00";
}
var p_ = (e) => e.width - e.margin;
function m_(e, t, n) {
	let { context: r, width: i, height: a, theme: o } = e;
	r.fillStyle = o.surface, r.fillRect(0, 0, i, a);
	let s = r_(e);
	g_(e, t, o_(e, e.scrolling, s - e.top, s), n), e.pinned.lines.length > 0 && (r.fillStyle = o.raised, r.fillRect(0, 30, i, e.pinned.height), g_(e, t, o_(e, e.pinned, 30, 30), n), h_(e, 0, s - .5, i));
}
function h_({ context: e, theme: t }, n, r, i) {
	e.fillStyle = t.line, e.fillRect(n, Math.round(r), i, 1);
}
function g_(e, t, n, r) {
	let { context: i, margin: a, theme: o } = e, s = [];
	for (let { line: t, y: r } of n) {
		let n = t.kind === "row" ? e.slices.rowByKey.get(t.key) : void 0;
		n && t.kind === "row" && s.push({
			line: t,
			row: n,
			y: r
		});
	}
	__(e, t, s);
	for (let { line: t, y: r } of n) t.kind === "counter" && S_(e, t.counter, t.rank, r);
	C_(e, n, r), i.fillStyle = o.line, i.fillRect(a - 1, 30, 1, e.height - 30);
}
function __(e, t, n) {
	let { context: r, viewport: i, slices: a, colours: o, lit: s, ratio: c, margin: l } = e, u = Math.max(1, Math.round(p_(e) * c));
	if (n.length === 0) return;
	let d = i.length / u, f = new ImageData(u, n.length), p = new Uint32Array(f.data.buffer), m = n.map(({ line: t, row: n }, r) => {
		let c = e.strip.row(a, n, i.from + e_(e, t.rank), d, u, o, s);
		return p.set(c.texels, r * u), c;
	});
	(t.width < u || t.height < n.length) && (t.width = Math.max(t.width, u), t.height = Math.max(t.height, n.length)), t.getContext("2d")?.putImageData(f, 0, 0), r.imageSmoothingEnabled = !1;
	for (let i = 0; i < n.length;) {
		let a = i + 1;
		for (; a < n.length && n[a].y === n[a - 1].y + 18;) a++;
		r.drawImage(t, 0, i, u, a - i, l, n[i].y, p_(e), (a - i) * 18), i = a;
	}
	r.fillStyle = e.pinned.lineOf.has(n[0].line.key) ? e.theme.raised : e.theme.surface;
	for (let { y: t } of n) r.fillRect(l, t + 18 - d_, p_(e), d_);
	r.font = l_, r.textBaseline = "middle";
	let h = Au(r);
	n.forEach(({ y: t }, n) => v_(e, m[n].entries, m[n].origin, d, t, h));
}
function v_(e, t, n, r, i, a) {
	let { context: o, slices: s, ratio: c, margin: l, theme: u, wanted: d } = e, { end: f, name: p } = s.data, m = Math.ceil(u_ * c);
	o.fillStyle = u.text;
	for (let e = 0; e + m <= t.length;) {
		let u = t[e];
		if (u < 0 || t[e + m - 1] !== u) {
			e++;
			continue;
		}
		let h = Math.min(t.length, Math.max(e + m, Math.floor((f[u] - n) / r)));
		o.globalAlpha = d && !d[p[u]] ? .5 : 1, o.fillText(ku(s.labelOf(u), (h - e) / c - 7, a), l + e / c + 3, i + (18 - d_) / 2 + .5), e = h;
	}
	o.globalAlpha = 1;
}
function y_(e) {
	let [t, n] = [0, 0];
	for (let [, r] of e.points) r < t && (t = r), r > n && (n = r);
	return [t, n];
}
function b_(e, t) {
	return t ? H(e) : Number.isInteger(e) ? e.toLocaleString("en") : xt(e);
}
function x_(e, t) {
	let { points: n } = e, r = 0, i = n.length;
	for (; r < i;) {
		let e = r + i >> 1;
		n[e][0] <= t ? r = e + 1 : i = e;
	}
	return n[r - 1];
}
function S_(e, t, n, r) {
	let { context: i, viewport: a, margin: o, width: s } = e, { points: c } = t, [l, u] = y_(t), d = r + 46 - 2, f = 38 / (u - l || 1), p = e_(e, n), m = x_(t, a.from + p), h = new Path2D(), g = m ? c.indexOf(m) : 0, _ = !1;
	for (; g < c.length; g++) {
		let [t, r] = c[g], i = Math.max(o, t_(e, t, n));
		if (i > s) break;
		let u = Math.min(s, g + 1 < c.length ? t_(e, c[g + 1][0], n) : t_(e, a.whole.to + p, n)), m = d - (r - l) * f;
		_ || h.moveTo(i, d), _ = !0, h.lineTo(i, m), h.lineTo(Math.max(i, u), m), (g + 1 === c.length || u >= s) && h.lineTo(Math.max(i, u), d);
	}
	_ && (i.fillStyle = e.colours.css[0] ?? e.theme.link, i.globalAlpha = .55, i.fill(h), i.globalAlpha = 1, h_(e, o, d, s - o));
}
function C_(e, t, n) {
	let { context: r, margin: i, theme: a, width: o } = e;
	r.textBaseline = "middle", r.font = l_;
	let s = Au(r);
	for (let { line: e, y: c } of t) if (e.kind === "heading") r.font = `600 ${e.strong ? 12.5 : 11}px system-ui, sans-serif`, r.fillStyle = e.strong ? a.text : a.quiet, r.fillText(ku(e.text, (e.strong ? o : i) - 12, s * 1.08), 8, c + e.size / 2 + 2), r.font = l_;
	else if (e.kind === "counter") r.fillStyle = a.text, r.fillText(ku(e.counter.name, i - 30, s), 20, c + 14), r.fillStyle = a.quiet, r.fillText(`up to ${b_(y_(e.counter)[1], e.counter.bytes)}`, 20, c + 29);
	else if (e.label) {
		let [t, o] = [c + (18 - d_) / 2 + .5, e.track.rows.length > 1];
		r.fillStyle = e.first ? a.text : a.quiet, e.first && o && r.fillText(n.has(e.track.key) ? "▸" : "▾", 7, t), r.fillText(ku(e.label, i - 30, s), 20, t);
	}
}
function w_(e, t, n) {
	let { step: r, at: i } = ju(e, t, n), a = Math.max(Math.abs(e), Math.abs(t)), [o, s] = a >= 1e9 ? ["s", 1e9] : a >= 1e6 ? ["ms", 1e6] : a >= 1e3 ? ["µs", 1e3] : ["ns", 1], c = Math.max(0, Math.ceil(Math.log10(s / r) - 1e-9));
	return i.map((e) => [e, e === 0 ? "0" : `${(e / s).toFixed(c)} ${o}`]);
}
function T_(e) {
	let { context: t, width: n, margin: r, viewport: i, theme: a } = e;
	t.fillStyle = a.surface, t.fillRect(0, 0, n, 30), t.font = l_, t.textBaseline = "middle", t.textAlign = "left";
	for (let [o, s] of w_(i.from, i.to, p_(e) / 110)) {
		let e = Math.round(r + i.toPixel(o));
		t.fillStyle = a.line, t.fillRect(e, 17, 1, 13), t.fillStyle = a.quiet, e + 4 + s.length * 6 < n && t.fillText(s, e + 4, 22);
	}
	let o = e.slices.data.ranks;
	t.font = "600 10.5px system-ui, sans-serif", t.fillStyle = f_(e.dark);
	let s = o[0], c = -1;
	for (let [i, a, o] of s?.steps ?? []) {
		let l = Math.max(r, t_(e, a, s.rank)) + 4, u = `step ${i}`;
		l < c || t_(e, o, s.rank) < l + 30 || l + 50 > n || (t.fillText(u, l, 8), c = l + u.length * 6.5 + 8);
	}
	h_(e, 0, 29, n), t.fillStyle = a.line, t.fillRect(r - 1, 0, 1, 30);
}
function E_(e) {
	let { context: t, margin: n, width: r } = e, i = r_(e);
	t.strokeStyle = f_(e.dark), t.globalAlpha = .45, t.setLineDash([2, 3]), t.beginPath();
	for (let a of e.slices.data.ranks) {
		let o = e.scrolling.lines.filter((e) => e.rank === a.rank), [s, c] = [o[0], o.at(-1)];
		if (!s || !c) continue;
		let [l, u] = [Math.max(i, i + s.y - e.top), Math.min(e.height, i + c.y + c.size - e.top)], d = n;
		if (!(u <= l)) for (let [, n] of a.steps) {
			let i = Math.round(t_(e, n, a.rank)) + .5;
			i < d || i > r || (t.moveTo(i, l), t.lineTo(i, u), d = i + 12);
		}
	}
	t.stroke(), t.setLineDash([]), t.globalAlpha = 1;
}
function D_(e, t) {
	let n = t.track.rows.findLast((n) => n.index <= t.index && i_(e, n.key) !== void 0), r = n && i_(e, n.key);
	return r === void 0 ? void 0 : r + (18 - d_) / 2;
}
function O_(e, t) {
	let { context: n, margin: r } = e;
	n.save(), n.beginPath(), n.rect(r, 30, e.width - r, e.height - 30), n.clip(), t(), n.restore();
}
function k_(e, t) {
	let { context: n, slices: r, viewport: i } = e, { start: a, end: o } = r.data;
	n.strokeStyle = n.fillStyle = f_(e.dark), n.lineWidth = 1.5, n.globalAlpha = t.length > 20 ? .5 : 1;
	for (let [s, c] of t) {
		let [t, l] = [r.rowOf(s), r.rowOf(c)], [u, d] = [D_(e, t), D_(e, l)];
		if (u === void 0 || d === void 0) continue;
		let f = t_(e, a[s] + Math.min(o[s] - a[s], i.length * .01), t.track.rank), p = t_(e, a[c], l.track.rank), m = Math.max(24, Math.min(200, Math.abs(p - f) / 2));
		n.beginPath(), n.moveTo(f, u), n.bezierCurveTo(f + m, u, p - m, d, p, d), n.stroke(), n.beginPath(), n.moveTo(p, d), n.lineTo(p - 7, d - 4), n.lineTo(p - 7, d + 4), n.fill();
	}
	n.globalAlpha = 1, n.lineWidth = 1;
}
function A_(e, t, n) {
	let { context: r, slices: i, margin: a, width: o } = e, s = i.rowOf(t), c = i_(e, s.key);
	if (c === void 0) return;
	let l = Math.max(a - 4, t_(e, i.data.start[t], s.track.rank)), u = Math.min(o + 4, t_(e, i.data.end[t], s.track.rank));
	u < a || l > o || (r.lineWidth = n, r.strokeStyle = e.theme.text, r.strokeRect(l, c + .5, Math.max(1, u - l), 18 - d_ - 1), r.lineWidth = 1);
}
function j_(e, t) {
	let { context: n, margin: r, viewport: i } = e;
	n.fillStyle = n.strokeStyle = f_(e.dark);
	let [a, o] = [r + i.toPixel(t.from), r + i.toPixel(t.to)];
	n.globalAlpha = .14;
	for (let r of t.keys) {
		let t = i_(e, r);
		t !== void 0 && t + 18 > (e.pinned.lineOf.has(r) ? 30 : r_(e)) && n.fillRect(a, t, o - a, 18);
	}
	n.globalAlpha = .8, n.fillRect(Math.round(a), 30, 1, e.height), n.fillRect(Math.round(o), 30, 1, e.height), n.globalAlpha = 1;
}
function M_(e, t, n) {
	let { context: r, theme: i, width: a } = e;
	r.fillStyle = i.quiet, r.globalAlpha = .5, r.fillRect(Math.round(t), 30, 1, e.height), r.globalAlpha = 1, r.font = l_, r.textBaseline = "middle";
	let o = r.measureText(n).width + 8, s = Math.min(Math.max(e.margin, t - o / 2), a - o);
	r.fillStyle = i.text, r.fillRect(s, 14, o, 15), r.fillStyle = i.surface, r.fillText(n, s + 4, 22);
}
// src/views/memory/data.ts
function N_(e) {
	return Mt(e, "memory", "by_device").map((e) => ({
		rank: e.rank ?? null,
		device: e.device ?? null,
		row: e
	}));
}
function P_({ rank: e, device: t }) {
	return `${e} ${t}`;
}
function F_(e, t, { rank: n, device: r }) {
	let i = e.tables.find((e) => e.id === t);
	if (!i) return;
	let [a, o] = ["rank", "device"].map((e) => i.columns.findIndex((t) => t.id === e)), s = i.columns.map((e, t) => t).filter((e) => e !== a && e !== o), c = i.rows.filter((e) => (a < 0 || e[a] === n) && (o < 0 || e[o] === r));
	if (c.length === 0) return;
	let l = (e) => e[0] === null ? ["(not known)", ...e.slice(1)] : e, u = i.columns[s[0]]?.unit === null, d = c.map((e) => s.map((t) => e[t] ?? null));
	return {
		...i,
		columns: s.map((e) => i.columns[e]),
		rows: u ? d.map(l) : d
	};
}
var I_ = (e) => typeof e == "number";
function L_(e, t) {
	let n = (e) => e.rank === t.rank && e.device === t.device, r = Mt(e, "memory", "timeline").filter((e) => n(e) && I_(e.time_ns) && I_(e.bytes)), i = Mt(e, "steps", "by_step").filter((e) => e.rank === t.rank && I_(e.start_ns) && I_(e.duration_ns)), a = Mt(e, "memory", "out_of_memory").filter((e) => n(e) && I_(e.time_ns)), { peak_at_ns: o, peak_bytes: s, capacity_bytes: c } = t.row;
	return {
		time: r.map((e) => e.time_ns),
		used: r.map((e) => e.bytes),
		reserved: r.map((e) => I_(e.reserved_bytes) ? e.reserved_bytes : null),
		steps: i.map((e) => ({
			step: e.step ?? null,
			from: e.start_ns,
			to: e.start_ns + e.duration_ns
		})),
		failures: a.map((e) => ({
			time: e.time_ns,
			asked: I_(e.asked_bytes) ? e.asked_bytes : 0
		})),
		peak: I_(o) && I_(s) ? {
			time: o,
			bytes: s
		} : null,
		limit: I_(c) ? c : null
	};
}
function R_({ time: e, failures: t }) {
	let n = t.map((e) => e.time), [r, i] = [Math.min(e[0] ?? 0, ...n), Math.max(e.at(-1) ?? 1, ...n)];
	return [r, Math.max(i, r + 1)];
}
function z_(e) {
	if (W(e, "memory")) return;
	let t = e.skipped.find((e) => e.id === "memory");
	return t ? `No memory was recorded: ${t.missing}. ${t.how_to_record}` : "No memory was recorded. Record with `profile_memory=True`, or take a snapshot with `torch.cuda.memory._dump_snapshot` and open it.";
}
// src/views/memory/chart.tsx
var B_ = 300, V_ = 46;
function H_(e, t) {
	let n = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, e)) / 10));
	return ju(0, e / n, t).at.map((e) => e * n);
}
function U_({ used: e, reserved: t, limit: n }, r) {
	let i = 1;
	for (let t of e) t > i && (i = t);
	for (let e of t) e !== null && e > i && (i = e);
	return (r && n !== null ? Math.max(i, n) : i) * 1.08;
}
function W_(e, t, n) {
	let r = {
		stroke: () => Rn("quiet"),
		grid: {
			stroke: () => Rn("line"),
			width: 1
		},
		ticks: {
			stroke: () => Rn("line"),
			width: 1
		},
		font: "11px system-ui, sans-serif"
	}, i = Wg.paths.stepped?.({ align: 1 }), a = {
		...i ? { paths: i } : {},
		points: { show: !1 }
	};
	return {
		width: t,
		height: B_,
		legend: { show: !1 },
		cursor: {
			drag: {
				x: !0,
				y: !1,
				setScale: !1
			},
			points: { show: !1 },
			y: !1
		},
		select: {
			show: !0,
			left: 0,
			top: 0,
			width: 0,
			height: 0
		},
		scales: {
			x: {
				time: !1,
				range: () => R_(e)
			},
			y: { range: () => [0, U_(e, n)] }
		},
		axes: [{
			...r,
			splits: (e, t, n, r) => w_(n, r, e.width / 120).map(([e]) => e),
			values: (e) => w_(e.scales.x?.min ?? 0, e.scales.x?.max ?? 1, e.width / 120).map(([, e]) => e)
		}, {
			...r,
			size: 76,
			splits: (e, t, n, r) => H_(r, 6),
			values: (e, t) => t.map((e) => e === 0 ? "0" : H(e).replace(".0 ", " "))
		}],
		series: [
			{},
			{
				...a,
				label: "Reserved",
				stroke: () => Rn("c5"),
				width: 1.5,
				dash: [6, 3]
			},
			{
				...a,
				label: "In use",
				stroke: () => Rn("c1"),
				fill: () => `${Rn("c1")}44`,
				width: 1.5
			}
		],
		hooks: {
			drawClear: [(t) => G_(t, e)],
			draw: [(t) => K_(t, e, n)],
			setCursor: [(t) => q_(t, e)],
			setSelect: [(e) => {
				let { left: t, width: n } = e.select;
				n < 4 || (Lt.value = [Math.round(e.posToVal(t, "x")), Math.round(e.posToVal(t + n, "x"))]);
			}]
		}
	};
}
function G_(e, t) {
	let { ctx: n, bbox: r } = e, { left: i, top: a, width: o, height: s } = r, c = (t) => Math.min(i + o, Math.max(i, e.valToPos(t, "x", !0)));
	n.save(), n.font = `${10.5 * devicePixelRatio}px system-ui, sans-serif`, n.textBaseline = "top", t.steps.forEach(({ step: e, from: t, to: r }, i) => {
		let [o, l] = [c(t), c(r)];
		l <= o || (n.fillStyle = Rn("raised"), i % 2 == 0 && n.fillRect(o, a, l - o, s), n.fillStyle = Rn("quiet"), l - o > V_ * devicePixelRatio && n.fillText(`step ${e}`, o + 5 * devicePixelRatio, a + 4 * devicePixelRatio));
	}), n.restore();
}
function K_(e, t, n) {
	let { ctx: r, bbox: i } = e, a = devicePixelRatio, o = i.left + i.width;
	if (r.save(), r.font = `600 ${11 * a}px system-ui, sans-serif`, r.textBaseline = "bottom", n && t.limit !== null) {
		let n = e.valToPos(t.limit, "y", !0);
		r.strokeStyle = r.fillStyle = Rn("critical"), r.lineWidth = 1.5 * a, r.beginPath(), r.moveTo(i.left, n), r.lineTo(o, n), r.stroke(), r.textAlign = "right", r.fillText(`device limit ${H(t.limit)}`, o - 4 * a, n - 3 * a);
	}
	r.strokeStyle = r.fillStyle = Rn("critical"), r.setLineDash([3 * a, 3 * a]);
	for (let { time: n, asked: s } of t.failures) {
		let t = e.valToPos(n, "x", !0);
		if (t < i.left || t > o) continue;
		r.beginPath(), r.moveTo(t, i.top), r.lineTo(t, i.top + i.height), r.stroke();
		let c = t > i.left + i.width / 2;
		r.textAlign = c ? "right" : "left", r.fillText(`✕ ${H(s)} refused`, t + (c ? -5 : 5) * a, i.top + 34 * a);
	}
	if (r.setLineDash([]), t.peak) {
		let [n, s] = [e.valToPos(t.peak.time, "x", !0), e.valToPos(t.peak.bytes, "y", !0)];
		if (n >= i.left && n <= o) {
			r.fillStyle = Rn("text"), r.beginPath(), r.arc(n, s, 4 * a, 0, 2 * Math.PI), r.fill();
			let e = n > i.left + i.width * .7, o = `peak ${H(t.peak.bytes)}`, c = e ? n - r.measureText(o).width - 8 * a : n + 8 * a;
			r.fillStyle = Rn("surface"), r.globalAlpha = .8, r.fillRect(c - 3 * a, s - 15 * a, r.measureText(o).width + 6 * a, 15 * a), r.globalAlpha = 1, r.fillStyle = Rn("text"), r.textAlign = "left", r.fillText(o, c, s - 1 * a);
		}
	}
	let s = Lt.peek();
	if (s) {
		let [t, n] = s.map((t) => Math.min(o, Math.max(i.left, e.valToPos(t, "x", !0))));
		r.fillStyle = Rn("surface"), r.globalAlpha = .6, r.fillRect(i.left, i.top, t - i.left, i.height), r.fillRect(n, i.top, o - n, i.height), r.globalAlpha = 1, r.strokeStyle = Rn("on"), r.lineWidth = a, r.strokeRect(t, i.top, n - t, i.height);
	}
	r.restore();
}
function q_(e, t) {
	let { idx: n, left: r, top: i } = e.cursor;
	if (n == null || r === void 0 || r < 0) {
		Xt();
		return;
	}
	let a = e.over.getBoundingClientRect(), [o, s] = [t.used[n], t.reserved[n]];
	if (o === void 0) return;
	let c = t.time[n], l = t.steps.find(({ from: e, to: t }) => e <= c && c < t), u = [["In use", H(o)]];
	s != null && u.push(["Reserved", H(s)], ["Unused", H(Math.max(0, s - o))]), t.limit !== null && u.push(["Limit", H(t.limit)]), l && u.push(["Step", String(l.step)]), Yt({
		clientX: a.left + r,
		clientY: a.top + (i ?? 0)
	}, /* @__PURE__ */ q($t, {
		title: `At ${V(c)}`,
		lines: u
	}));
}
function J_({ series: e, withLimit: t, onCanvas: n }) {
	let r = R(null);
	return L(() => {
		let i = r.current;
		if (!i) return;
		let a = new Wg(W_(e, i.clientWidth, t), [
			e.time,
			e.reserved,
			e.used
		], i);
		n?.(a.ctx.canvas);
		let o = new ResizeObserver(() => a.setSize({
			width: Math.max(120, i.clientWidth),
			height: B_
		}));
		o.observe(i);
		let s = at(() => {
			Nn.value, Lt.value, a.redraw(!1), Lt.peek() || a.setSelect({
				left: 0,
				top: 0,
				width: 0,
				height: 0
			}, !1);
		});
		return a.over.addEventListener("dblclick", () => Lt.value = null), a.over.addEventListener("pointerleave", Xt), () => {
			s(), o.disconnect(), a.destroy(), n?.(null), Xt();
		};
	}, [e, t]), /* @__PURE__ */ q("div", {
		class: "memory-chart",
		ref: r,
		role: "img",
		"aria-label": Y_(e)
	});
}
function Y_({ peak: e, limit: t, failures: n, time: r }) {
	let i = [`Memory over ${V((r.at(-1) ?? 0) - (r[0] ?? 0))}`];
	return e && i.push(`peak ${H(e.bytes)} at ${V(e.time)}`), t !== null && i.push(`device limit ${H(t)}`), n.length && i.push(`${n.length} requests failed`), i.join(", ");
}
// src/views/memory/index.tsx
var X_ = [
	{
		id: "at_peak_by_stack",
		title: "By line"
	},
	{
		id: "at_peak_by_module",
		title: "By module"
	},
	{
		id: "at_peak_by_category",
		title: "By category"
	},
	{
		id: "at_peak",
		title: "By operator"
	},
	{
		id: "at_peak_by_size",
		title: "By size"
	},
	{
		id: "largest_at_peak",
		title: "Largest blocks"
	}
], Z_ = .3;
function Q_({ document: e }) {
	let t = W(e, "memory"), n = z(() => N_(e), [e]), r = Rt.value, i = n.filter((e) => r === null || e.rank === r), a = G("memory.device"), o = i.find((e) => P_(e) === a) ?? i[0];
	if (!t || !o) return /* @__PURE__ */ q(tr, { children: r === null ? "No device has memory in this recording." : `Rank ${r} has no memory in this recording.` });
	let s = new Set(n.map((e) => e.rank)).size > 1, c = i.map((e) => ({
		id: P_(e),
		title: s ? `rank ${e.rank}, ${e.device}` : String(e.device)
	}));
	return /* @__PURE__ */ q("div", {
		class: "memory",
		children: [
			c.length > 1 ? /* @__PURE__ */ q($_, {
				tabs: c,
				open: P_(o)
			}) : null,
			/* @__PURE__ */ q(ev, {
				document: e,
				device: o
			}),
			/* @__PURE__ */ q(nv, {
				document: e,
				found: t,
				device: o
			}),
			/* @__PURE__ */ q(tv, {
				document: e,
				found: t,
				device: o
			}),
			/* @__PURE__ */ q("div", {
				class: "columns",
				children: [/* @__PURE__ */ q(iv, {
					found: t,
					device: o
				}), /* @__PURE__ */ q(av, {
					document: e,
					found: t,
					device: o
				})]
			}),
			t.findings.length ? /* @__PURE__ */ q(X, {
				title: "What follows",
				children: /* @__PURE__ */ q("ol", {
					class: "findings",
					children: t.findings.map((e, n) => /* @__PURE__ */ q(Ao, {
						finding: e,
						section: t
					}, n))
				})
			}) : null,
			/* @__PURE__ */ q(X, {
				title: "All of it in numbers",
				children: /* @__PURE__ */ q(Eo, { section: t })
			})
		]
	});
}
function $_({ tabs: e, open: t }) {
	return /* @__PURE__ */ q("label", {
		class: "memory-device",
		children: ["Device", /* @__PURE__ */ q("select", {
			value: t,
			onChange: (t) => K("memory.device", t.currentTarget.value === e[0]?.id ? null : t.currentTarget.value),
			children: e.map((e) => /* @__PURE__ */ q("option", {
				value: e.id,
				children: e.title
			}, e.id))
		})]
	});
}
function ev({ document: e, device: t }) {
	let n = z(() => L_(e, t), [e, t]), r = R(null), i = n.limit !== null && n.peak !== null && n.peak.bytes > Z_ * n.limit, a = G("memory.limit", i ? "on" : "off") === "on", o = Lt.value, s = /* @__PURE__ */ q(x, { children: [o ? /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q("span", {
			class: "quiet",
			children: [
				V(o[0]),
				" to ",
				V(o[1])
			]
		}),
		/* @__PURE__ */ q("button", {
			type: "button",
			class: "quiet-button",
			onClick: () => Ft.value = "timeline",
			children: "Show in the timeline"
		}),
		/* @__PURE__ */ q("button", {
			type: "button",
			class: "quiet-button",
			onClick: () => Lt.value = null,
			children: "All of the time"
		})
	] }) : null, n.limit === null ? null : /* @__PURE__ */ q("button", {
		type: "button",
		class: "button",
		"aria-pressed": a,
		onClick: () => K("memory.limit", a === i ? a ? "off" : "on" : null),
		children: "Device limit"
	})] }), c = n.limit !== null && n.peak ? ` of the ${H(n.limit)} that the device has` : "", l = n.peak ? `Peak ${H(n.peak.bytes)}${c}, at ${V(n.peak.time)}. Drag to choose a time for all views; double click lets it go.` : void 0;
	return n.time.length === 0 ? /* @__PURE__ */ q(X, {
		title: "Memory over time",
		children: /* @__PURE__ */ q(tr, { children: "No events of memory were recorded." })
	}) : /* @__PURE__ */ q(X, {
		title: "Memory over time",
		note: l,
		tools: s,
		exports: {
			name: "memory",
			canvas: () => r.current,
			command: Kn(e, "memory", "-o memory.svg")
		},
		children: [/* @__PURE__ */ q(J_, {
			series: n,
			withLimit: a,
			onCanvas: (e) => r.current = e
		}), /* @__PURE__ */ q("ul", {
			class: "memory-legend",
			"aria-label": "Lines",
			children: [
				/* @__PURE__ */ q("li", {
					class: "used",
					children: "in use"
				}),
				/* @__PURE__ */ q("li", {
					class: "reserved",
					children: "reserved by the allocator"
				}),
				a ? /* @__PURE__ */ q("li", {
					class: "limit",
					children: "device limit"
				}) : null
			]
		})]
	});
}
function tv({ document: e, found: t, device: n }) {
	let r = X_.filter((e) => F_(t, e.id, n)), i = Mo("memory.peak", r), a = i && F_(t, i, n);
	return a ? /* @__PURE__ */ q(X, {
		title: "In use at the peak",
		note: a.title,
		exports: {
			name: `memory-${a.id}`,
			table: () => a,
			command: Kn(e, "memory")
		},
		children: [/* @__PURE__ */ q(jo, {
			id: "memory.peak",
			tabs: r,
			label: "In use at the peak"
		}), /* @__PURE__ */ q(ro, {
			table: a,
			section: t,
			id: `memory.${a.id}`,
			sort: "-bytes",
			rows: 12
		})]
	}) : null;
}
function nv({ document: e, found: t, device: n }) {
	let r = F_(t, "out_of_memory", n), i = F_(t, "at_failure_by_stack", n);
	return r ? /* @__PURE__ */ q(X, {
		title: "Out of memory",
		note: r.title,
		exports: {
			name: "out-of-memory",
			table: () => r,
			command: Kn(e, "memory")
		},
		children: [/* @__PURE__ */ q(ro, {
			table: r,
			section: t,
			id: "memory.out_of_memory",
			rows: 6,
			bare: !0
		}), i ? /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q("h3", {
			class: "memory-sub",
			children: i.title
		}), /* @__PURE__ */ q(ro, {
			table: i,
			section: t,
			id: "memory.at_failure_by_stack",
			sort: "-bytes",
			rows: 8,
			bare: !0
		})] }) : null]
	}) : null;
}
function rv({ table: e, found: t, ids: n }) {
	let r = e.rows[0];
	return r ? /* @__PURE__ */ q("dl", {
		class: "memory-facts",
		children: e.columns.map((i, a) => r[a] === null || n && !n.includes(i.id) ? null : /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: i.title ?? i.id }), /* @__PURE__ */ q("dd", { children: /* @__PURE__ */ q(cn, {
			about: () => Y(e, r, a, t),
			children: Et(r[a], i)
		}) })] }, i.id))
	}) : null;
}
function iv({ found: e, device: t }) {
	let n = F_(e, "allocator", t), r = F_(e, "by_device", t);
	return !n && !r ? null : /* @__PURE__ */ q(X, {
		title: "Allocator and fragmentation",
		note: n?.title ?? r?.title,
		children: [r ? /* @__PURE__ */ q(rv, {
			table: r,
			found: e,
			ids: [
				"peak_reserved_bytes",
				"unused_bytes",
				"reserved_pct",
				"capacity_bytes",
				"end_bytes",
				"end_reserved_bytes",
				"allocations",
				"releases",
				"counted"
			]
		}) : null, n ? /* @__PURE__ */ q(rv, {
			table: n,
			found: e
		}) : null]
	});
}
function av({ document: e, found: t, device: n }) {
	let r = F_(t, "by_step", n), i = F_(t, "growth_by_stack", n);
	if (!r && !i) return null;
	let a = i ?? r;
	return /* @__PURE__ */ q(X, {
		title: "From step to step",
		note: i ? i.title : "No line grew in every one of the last steps.",
		exports: {
			name: `memory-${a.id}`,
			table: () => a,
			command: Kn(e, "memory")
		},
		children: [i ? /* @__PURE__ */ q(ro, {
			table: i,
			section: t,
			id: "memory.growth_by_stack",
			rows: 8,
			bare: !0
		}) : null, r ? /* @__PURE__ */ q(ro, {
			table: r,
			section: t,
			id: "memory.by_step",
			rows: 8,
			bare: !0
		}) : null]
	});
}
var ov = {
	id: "memory",
	title: "Memory",
	missing: ({ document: e }) => z_(e),
	Component: Q_
}, sv = {
	compute: "compute_ns",
	communication: "exposed_comm_ns",
	memory: "exposed_memory_ns",
	idle: "idle_ns"
};
function cv({ document: e }) {
	let t = R(null), n = W(e, "temporal-breakdown"), r = n?.tables.find((e) => e.id === "by_rank");
	if (!n || !r) return null;
	let i = Rt.value, a = Mt(e, n.id, r.id).filter((e) => i === null || e.rank === i).map((e) => ({
		label: Nt(e),
		parts: Object.keys(Fo).map((t) => {
			let i = Number(e[sv[t]] ?? 0), a = r.columns.findIndex((e) => e.id === sv[t]);
			return {
				part: t,
				label: Fo[t],
				value: i,
				text: V(i),
				about: () => Y(r, r.rows[e.index] ?? [], a, n)
			};
		})
	}));
	return /* @__PURE__ */ q(X, {
		title: n.title,
		note: "Shares of the GPU span of each rank.",
		exports: {
			name: "breakdown",
			svg: () => t.current,
			table: () => r,
			command: Kn(e, void 0, "--section temporal-breakdown")
		},
		children: /* @__PURE__ */ q(Ho, {
			rows: a,
			label: n.title,
			drawing: t
		})
	});
}
// src/views/overview/findings.tsx
var lv = {
	kernels: "kernels",
	"call-tree": "kernels",
	"launch-stats": "timeline",
	"idle-causes": "timeline",
	"idle-time": "timeline",
	"critical-path": "timeline",
	collectives: "communication",
	stragglers: "communication",
	"comm-overlap": "communication",
	"comm-roofline": "communication",
	roofline: "roofline",
	memory: "memory",
	"graph-breaks": "compile",
	recompiles: "compile",
	"compile-time": "compile",
	fusion: "compile",
	diff: "compare"
}, uv = {
	critical: 2,
	warning: 1,
	info: 0
};
function dv(e) {
	let t = Math.max(1, ...e.sections.filter((e) => e.id === "steps").flatMap((e) => e.numbers.filter((e) => e.id === "steps").map((e) => Number(e.value) || 0)));
	return e.sections.flatMap((e) => e.findings.map((n) => ({
		finding: n,
		section: e,
		gain: n.gain_ns ? n.gain_ns[1] * (n.gain_of === "step" ? t : 1) : null
	}))).sort((e, t) => (t.gain ?? -1) - (e.gain ?? -1) || uv[t.finding.severity] - uv[e.finding.severity]);
}
function fv({ document: e }) {
	let t = dv(e);
	return /* @__PURE__ */ q(X, {
		title: "What to do",
		note: t.length ? "The largest gain first." : void 0,
		exports: {
			name: "findings",
			json: () => t.map((e) => ({
				section: e.section.id,
				...e.finding
			})),
			command: Kn(e)
		},
		children: t.length === 0 ? /* @__PURE__ */ q(tr, { children: "Nothing stands out: no analysis found time to gain. The other views show where the time goes." }) : /* @__PURE__ */ q("ol", {
			class: "findings numbered",
			children: t.map(({ finding: e, section: t }, n) => {
				let r = Rb.find((e) => e.id === lv[t.id]);
				return /* @__PURE__ */ q(Ao, {
					finding: e,
					section: t,
					place: r && {
						title: r.title,
						open: () => void (Ft.value = r.id)
					}
				}, n);
			})
		})
	});
}
// src/views/overview/headlines.tsx
var pv = [
	[
		"steps",
		"median_ns",
		"Step, median"
	],
	[
		"temporal-breakdown",
		"compute_pct",
		"GPU computes"
	],
	[
		"temporal-breakdown",
		"exposed_comm_pct",
		"Exposed communication"
	],
	[
		"temporal-breakdown",
		"idle_pct",
		"GPU idle"
	],
	[
		"comm-overlap",
		"overlap_pct",
		"Communication hidden"
	],
	[
		"roofline",
		"headroom_ns",
		"Above the best time"
	],
	[
		"memory",
		"peak_bytes",
		"Peak memory"
	],
	[
		"compile-time",
		"compile_time_ns",
		"Compiling"
	],
	[
		"graph-breaks",
		"graph_breaks",
		"Graph breaks"
	],
	[
		"recompiles",
		"recompiles",
		"Recompilations"
	]
];
function mv({ document: e }) {
	let t = pv.flatMap(([t, n, r]) => {
		let i = W(e, t), a = i?.numbers.filter((e) => e.id === n) ?? [];
		return i && a.length ? [/* @__PURE__ */ q(So, {
			section: i,
			numbers: a,
			title: r
		}, t + n)] : [];
	});
	return t.length ? /* @__PURE__ */ q("dl", {
		class: "cards headlines",
		children: t
	}) : null;
}
// src/views/overview/notes.tsx
function hv({ document: e }) {
	return e.warnings.length === 0 ? null : /* @__PURE__ */ q(X, {
		title: Ot(e.warnings.length, "warning"),
		class: "warnings",
		exports: {
			name: "warnings",
			json: () => e.warnings
		},
		children: [/* @__PURE__ */ q("ul", {
			class: "notes",
			children: e.warnings.slice(0, 20).map((e, t) => /* @__PURE__ */ q("li", { children: [
				/* @__PURE__ */ q("span", {
					class: `label ${e.harmless ? "info" : "warning"}`,
					children: e.harmless ? "harmless" : "warning"
				}),
				e.count > 1 ? /* @__PURE__ */ q("b", { children: [bt(e.count), " × "] }) : null,
				/* @__PURE__ */ q(nr, { text: e.message }),
				e.path ? /* @__PURE__ */ q("code", {
					class: "quiet",
					children: [" ", e.path]
				}) : null
			] }, t))
		}), e.warnings.length > 20 ? /* @__PURE__ */ q("p", {
			class: "note",
			children: [
				"20 of ",
				bt(e.warnings.length),
				"; the JSON has all."
			]
		}) : null]
	});
}
function gv(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e) {
		let e = `${n.missing}\n${n.how_to_record}`, r = t.get(e);
		r ? r[1].push(n.id) : t.set(e, [n, [n.id]]);
	}
	return [...t.values()];
}
function _v({ document: e }) {
	return e.skipped.length === 0 ? null : /* @__PURE__ */ q(X, {
		title: "What could not be told, and how to record it",
		exports: {
			name: "skipped",
			json: () => e.skipped
		},
		children: /* @__PURE__ */ q("ul", {
			class: "notes",
			children: gv(e.skipped).map(([e, t]) => /* @__PURE__ */ q("li", { children: [
				/* @__PURE__ */ q("b", { children: t.join(", ") }),
				": ",
				/* @__PURE__ */ q(nr, { text: e.missing }),
				/* @__PURE__ */ q("p", {
					class: "quiet",
					children: /* @__PURE__ */ q(nr, {
						text: e.how_to_record,
						sentence: !0
					})
				})
			] }, t[0]))
		})
	});
}
var vv = 64;
function yv({ document: e }) {
	return e.inputs.length === 0 ? null : /* @__PURE__ */ q(X, {
		title: Ot(e.inputs.length, "input"),
		exports: {
			name: "inputs",
			json: () => e.inputs
		},
		children: [/* @__PURE__ */ q("ul", {
			class: "inputs",
			children: e.inputs.slice(0, vv).map((e, t) => /* @__PURE__ */ q("li", { children: [/* @__PURE__ */ q("code", { children: e.path }), /* @__PURE__ */ q("span", {
				class: "quiet",
				children: [
					e.role,
					typeof e.rank == "number" ? `rank ${e.rank}` : "",
					e.format,
					e.events === void 0 ? "" : Ot(e.events, "event"),
					e.bytes === void 0 ? "" : H(e.bytes)
				].filter(Boolean).join(" · ")
			})] }, t))
		}), /* @__PURE__ */ q("p", {
			class: "note",
			children: [
				e.inputs.length > vv ? `${vv} of ${e.inputs.length}. ` : "",
				"Made by ",
				e.tool.name,
				" ",
				e.tool.version,
				", ",
				e.schema,
				"."
			]
		})]
	});
}
// src/views/overview/steps.tsx
var bv = {
	compute: "compute_ns",
	communication: "exposed_comm_ns",
	memory: "exposed_memory_ns",
	idle: "idle_ns"
}, xv = 44, Sv = 16;
function Cv({ document: e }) {
	let t = R(null), [n, r] = zo(), i = Ee(), a = W(e, "steps"), o = a?.tables.find((e) => e.id === "by_step"), s = Rt.value, c = Mt(e, "steps", "by_step").filter((e) => s === null || e.rank === s);
	if (!a || !o || c.length === 0) return null;
	let l = [...new Set(c.map(Nt))], u = Math.min(...c.map((e) => Number(e.start_ns))), d = Math.max(...c.map((e) => Number(e.start_ns) + Number(e.duration_ns))), f = l.some((e) => e.length > 7) ? 96 : 56, p = c.some((e) => Object.values(bv).some((t) => typeof e[t] == "number")), m = (r - f - 2) / Math.max(1, d - u), h = l.slice(0, Sv), g = h.length * xv + (p ? 20 : 0);
	return /* @__PURE__ */ q(X, {
		title: "Steps",
		note: Lt.value ? "A time is chosen; click the step again for all of it." : "Click a step to look at its time in every view.",
		exports: {
			name: "steps",
			svg: () => t.current,
			table: () => o,
			command: Kn(e, void 0, "--section steps")
		},
		children: [/* @__PURE__ */ q("div", {
			ref: n,
			children: /* @__PURE__ */ q("svg", {
				ref: t,
				class: "chart",
				width: r,
				height: g,
				role: "group",
				"aria-label": "Steps over time",
				onPointerLeave: Xt,
				children: [
					/* @__PURE__ */ q(Io, { id: i }),
					h.map((e, t) => /* @__PURE__ */ q("g", {
						transform: `translate(0 ${t * xv})`,
						children: [/* @__PURE__ */ q("text", {
							x: 0,
							y: 22,
							class: "row-label",
							children: e.length > 12 ? `${e.slice(0, 11)}…` : e
						}), c.filter((t) => Nt(t) === e).map((e) => /* @__PURE__ */ q(wv, {
							row: e,
							id: i,
							x: f + (Number(e.start_ns) - u) * m,
							width: Math.max(1, Number(e.duration_ns) * m - 1)
						}, e.index))]
					}, e)),
					p ? /* @__PURE__ */ q(Ro, {
						parts: Object.entries(Fo),
						id: i,
						y: g - 14
					}) : null
				]
			})
		}), l.length > Sv ? /* @__PURE__ */ q("p", {
			class: "note",
			children: [
				Sv,
				" of ",
				l.length,
				" ranks; choose one above for the others."
			]
		}) : null]
	});
}
function wv({ row: e, id: t, x: n, width: r }) {
	let i = [Number(e.start_ns), Number(e.start_ns) + Number(e.duration_ns)], a = Lt.value?.[0] === i[0] && Lt.value[1] === i[1], o = () => Lt.value = a ? null : i, s = Object.keys(Fo).map((t) => [t, Number(e[bv[t]] ?? 0)]), c = Math.max(1, s.reduce((e, [, t]) => e + t, 0)), l = 32;
	return /* @__PURE__ */ q("g", {
		class: `step${a ? " chosen" : ""}`,
		role: "button",
		tabIndex: 0,
		"aria-pressed": a,
		"aria-label": `Step ${e.step} · ${V(Number(e.duration_ns))}, rank ${e.rank}`,
		onClick: o,
		onKeyDown: (e) => {
			(e.key === "Enter" || e.key === " ") && (o(), e.preventDefault());
		},
		onPointerMove: (t) => Yt(t, /* @__PURE__ */ q($t, {
			title: `Step ${e.step}, rank ${e.rank}`,
			lines: [
				["Duration", V(Number(e.duration_ns))],
				...s.map(([e, t]) => [Fo[e], V(t)]),
				["Kernels", String(e.kernels ?? "-")]
			]
		})),
		children: [
			/* @__PURE__ */ q("rect", {
				x: n,
				y: 0,
				width: r,
				height: 32,
				fill: "var(--raised)"
			}),
			s.map(([e, i]) => {
				let a = i / c * 32;
				return l -= a, a > 0 ? /* @__PURE__ */ q("rect", {
					x: n,
					y: l,
					width: r,
					height: a,
					fill: Lo(e, t)
				}, e) : null;
			}),
			/* @__PURE__ */ q("rect", {
				class: "edge",
				x: n,
				y: 0,
				width: r,
				height: 32,
				fill: "none"
			}),
			r > 90 ? /* @__PURE__ */ q("text", {
				x: n + 6,
				y: 25,
				class: "on-part compute",
				children: [
					e.step,
					" · ",
					V(Number(e.duration_ns))
				]
			}) : null
		]
	});
}
// src/views/overview/index.tsx
function Tv({ document: e }) {
	let t = W(e, "kernel-types"), n = W(e, "idle-causes"), r = t?.tables.find((e) => e.id === "by_types"), i = n?.tables.find((e) => e.id === "by_cause");
	return /* @__PURE__ */ q("div", {
		class: "overview",
		children: [
			/* @__PURE__ */ q(hv, { document: e }),
			/* @__PURE__ */ q(mv, { document: e }),
			/* @__PURE__ */ q("div", {
				class: "columns uneven",
				children: [/* @__PURE__ */ q(fv, { document: e }), /* @__PURE__ */ q("div", { children: [
					/* @__PURE__ */ q(cv, { document: e }),
					/* @__PURE__ */ q(Cv, { document: e }),
					t && r ? /* @__PURE__ */ q(No, {
						document: e,
						section: t,
						table: r,
						title: "What ran together",
						rows: 8
					}) : null
				] })]
			}),
			n && i ? /* @__PURE__ */ q(No, {
				document: e,
				section: n,
				table: i,
				title: "Why the GPU was idle",
				rows: 8
			}) : null,
			/* @__PURE__ */ q(_v, { document: e }),
			/* @__PURE__ */ q(yv, { document: e })
		]
	});
}
var Ev = {
	id: "overview",
	title: "Overview",
	Component: Tv
}, Dv = {
	rates: /* @__PURE__ */ new Map(),
	limits: {}
};
function Ov({ rates: e, limits: t }) {
	return e.size > 0 || Object.keys(t).length > 0;
}
function kv(e, t, n) {
	return e.map((e) => {
		let r = t.get(e.name) ?? e.rate, i = e.kind === "compute" && n ? r / n : e.knee;
		if (r === e.rate && i === e.knee) return e;
		let a = r !== e.rate;
		return {
			...e,
			rate: r,
			knee: i,
			source: a ? `set here; ${e.source} says otherwise` : e.source
		};
	});
}
function Av(e, t, n, r) {
	let i = e.adjustable ? zr(e, t, n, r) : null;
	if (!i) return e;
	let a = e.calls || 1;
	return {
		...e,
		pct: i.pct,
		roof: i.attainable === null ? null : i.attainable / 1e9,
		class: i.class,
		boundBy: i.boundBy,
		headroom: i.headroom === null ? null : i.headroom * 1e9 * a,
		knee: i.knee,
		delta: i.knee && i.intensity && Number.isFinite(i.intensity) ? Math.log10(i.intensity / i.knee) : null,
		status: i.status,
		flag: i.flag ? wr[i.flag] : null
	};
}
function jv(e, t) {
	if (!Ov(t)) return e;
	let n = {
		...yr,
		...t.limits
	}, r = kv(e.memory, t.rates, void 0), i = kv(e.compute, t.rates, r[0]?.rate);
	return {
		...e,
		memory: r,
		compute: i,
		points: e.points.map((e) => Av(e, r, i, n))
	};
}
function Mv(e, t) {
	let n = 0, r = 0;
	return t.forEach((t, i) => {
		t.status !== e[i]?.status && (n += 1), t.adjustable || (r += 1);
	}), {
		count: n,
		fixed: r
	};
}
// src/views/roofline/config.ts
function Nv(e) {
	let t;
	try {
		t = JSON.parse(e);
	} catch (e) {
		return { error: `it is no JSON (${e instanceof Error ? e.message : String(e)})` };
	}
	return Pv(t);
}
function Pv(e) {
	if (typeof e != "object" || !e || Array.isArray(e)) return { error: "it is no object" };
	let t = e, n = [], r = [], i = (e, i, a, o) => {
		let s = t[e];
		if (s === void 0) r.push(e);
		else {
			if (typeof s == "number" && s >= i && s <= a && Number.isFinite(s)) return s;
			n.push(`\`${e}\` is no ${o}: ${JSON.stringify(s)}`);
		}
	}, a = (e) => i(e, Number.MIN_VALUE, 0xe8d4a51000, "rate above 0"), o = (e) => i(e, 0, 100, "percentage"), s = {
		mem_thresh: o("mem_thresh") ?? yr.memory,
		comp_thresh: o("comp_thresh") ?? yr.compute,
		bound_thresh: o("bound_thresh") ?? yr.bound,
		balanced: i("balanced", 1, 1e6, "factor of 1 or more") ?? yr.balanced
	}, [c, l] = [a("peak_tops"), a("mem_bw")];
	c !== void 0 && (s.peak_tops = c), l !== void 0 && (s.mem_bw = l);
	let { peak_unit: u, rates: d } = t;
	if (u === "ops" || u === "macs" ? s.peak_unit = u : u !== void 0 && n.push(`\`peak_unit\` is neither ops nor macs: ${JSON.stringify(u)}`), d !== void 0) {
		let e = typeof d == "object" && d && !Array.isArray(d) ? Object.entries(d) : null;
		e?.every(([, e]) => typeof e == "number" && e > 0 && Number.isFinite(e)) ? s.rates = Object.fromEntries(e) : n.push("`rates` are not all numbers above 0");
	}
	return n.length ? { error: n.join("; ") } : {
		config: s,
		defaults: r
	};
}
function Fv(e, t) {
	let n = /* @__PURE__ */ new Map(), r = t.memory[0];
	for (let r of t.compute) {
		if (e.peak_tops === void 0) break;
		let t = {
			ops: "flop",
			macs: "mac"
		}[e.peak_unit ?? "ops"] === r.counts ? 1 : r.counts === "mac" ? .5 : 2;
		n.set(r.name, e.peak_tops * 1e3 * t);
	}
	r && e.mem_bw !== void 0 && n.set(r.name, e.mem_bw);
	for (let r of [...t.memory, ...t.compute]) {
		let t = e.rates && Object.hasOwn(e.rates, r.name) ? e.rates[r.name] : void 0;
		t !== void 0 && n.set(r.name, t), n.get(r.name) === r.rate && n.delete(r.name);
	}
	let i = {};
	return e.bound_thresh !== yr.bound && (i.bound = e.bound_thresh), e.comp_thresh !== yr.compute && (i.compute = e.comp_thresh), e.mem_thresh !== yr.memory && (i.memory = e.mem_thresh), e.balanced !== yr.balanced && (i.balanced = e.balanced), {
		rates: n,
		limits: i
	};
}
function Iv(e, t) {
	let n = /* @__PURE__ */ new Map();
	for (let t of e.points) t.ceiling && n.set(t.ceiling, (n.get(t.ceiling) ?? 0) + (t.time ?? 0));
	let r = [...n].sort((e, t) => t[1] - e[1])[0]?.[0], i = e.compute.find((e) => e.name === r) ?? e.compute[0], a = {
		mem_thresh: t.memory,
		comp_thresh: t.compute,
		bound_thresh: t.bound,
		balanced: t.balanced
	};
	return i && (a.peak_tops = i.rate / 1e3), i?.counts === "mac" && (a.peak_unit = "macs"), e.memory[0] && (a.mem_bw = e.memory[0].rate), e.compute.length + e.memory.length > 2 && (a.rates = Object.fromEntries([...e.memory, ...e.compute].map((e) => [e.name, e.rate]))), a;
}
// src/views/roofline/adjust-panel.tsx
function Lv({ roof: e, now: t, unit: n, divisor: r }) {
	let i = (t) => Qr(e.name, t === e.rate || !(t > 0) ? null : t), a = Math.log2(t / e.rate);
	return /* @__PURE__ */ q("div", {
		class: "rate",
		children: [
			/* @__PURE__ */ q("label", {
				for: `rate-${e.name}`,
				children: [
					e.name,
					" ",
					/* @__PURE__ */ q("span", {
						class: "quiet",
						children: n
					})
				]
			}),
			/* @__PURE__ */ q("input", {
				id: `rate-${e.name}`,
				type: "number",
				min: "0",
				step: "any",
				value: Number((t / r).toPrecision(6)),
				onChange: (e) => i(e.currentTarget.valueAsNumber * r)
			}),
			/* @__PURE__ */ q("input", {
				type: "range",
				min: "-2",
				max: "2",
				step: "0.05",
				value: a,
				"aria-label": `${e.name}: from a quarter to four times`,
				"aria-valuetext": `${(t / e.rate).toFixed(2)} times`,
				onInput: (t) => {
					let n = t.currentTarget.valueAsNumber;
					i(Math.abs(n) < .04 ? e.rate : Number((e.rate * 2 ** n).toPrecision(4)));
				}
			}),
			/* @__PURE__ */ q("span", {
				class: `times${t === e.rate ? " quiet" : ""}`,
				children: ["×", (t / e.rate).toFixed(2)]
			})
		]
	});
}
var Rv = {
	bound: ["Bound above", "Above this share of its roof something is bound by it"],
	memory: ["Memory inefficient below", "Left of the knee, inefficient below this share of the bandwidth"],
	compute: ["Compute inefficient below", "Right of the knee, inefficient below this share of the peak"]
};
function zv({ name: e, now: t }) {
	let [n, r] = Rv[e];
	return /* @__PURE__ */ q("div", {
		class: "rate",
		title: r,
		children: [
			/* @__PURE__ */ q("label", {
				for: `limit-${e}`,
				children: n
			}),
			/* @__PURE__ */ q("input", {
				id: `limit-${e}`,
				type: "number",
				min: "0",
				max: "100",
				step: "1",
				value: t,
				onChange: (t) => $r(e, Math.max(0, Math.min(100, t.currentTarget.valueAsNumber || 0)))
			}),
			/* @__PURE__ */ q("input", {
				type: "range",
				min: "0",
				max: "100",
				step: "1",
				value: t,
				"aria-label": n,
				onInput: (t) => $r(e, t.currentTarget.valueAsNumber)
			}),
			/* @__PURE__ */ q("span", {
				class: `times${t === yr[e] ? " quiet" : ""}`,
				children: "%"
			})
		]
	});
}
function Bv({ source: e, document: t, data: n, adjustment: r }) {
	let [i, a] = F(null), [o, s] = F(!1), c = {
		...yr,
		...r.limits
	}, l = Ov(r), { count: u, fixed: d } = Mv(t.points, n.points), f = (e, n) => {
		"error" in e ? a(`${n} was not applied: ${e.error}`) : (a(null), ei(Fv(e.config, t)), Vn(`${n} applied${e.defaults.length ? `; defaults for ${e.defaults.join(", ")}` : ""}`));
	}, p = (e) => a(e instanceof Error ? e.message : String(e)), m = async () => {
		let t = await e.ask("config");
		f(Pv(t.config), t.path), t.problem && a(t.problem);
	};
	L(() => {
		if (e.live) return e.listen("events", (e) => {
			e.kind === "config" && m().catch(p);
		});
	}, [e, t]);
	let h = async () => {
		let t = Iv(n, c);
		e.live ? Vn(`Saved to ${(await e.ask("config", t, "PUT")).path}`) : qn("roofline_config.json", new Blob([`${JSON.stringify(t, null, 2)}\n`], { type: "application/json" }));
	}, g = (e) => o || t.used.has(e.name) || r.rates.has(e.name), _ = (e) => r.rates.get(e.name) ?? e.rate, v = t.compute.length - t.compute.filter(g).length + Math.max(0, t.memory.length - 1);
	return /* @__PURE__ */ q("div", {
		class: "stack adjust",
		children: [
			/* @__PURE__ */ q("fieldset", { children: [
				/* @__PURE__ */ q("legend", { children: "Peaks" }),
				t.compute.filter(g).map((e) => /* @__PURE__ */ q(Lv, {
					roof: e,
					now: _(e),
					unit: `T${e.counts === "mac" ? "MAC" : "FLOP"}/s`,
					divisor: 1e3
				}, e.name)),
				t.compute.length === 0 ? /* @__PURE__ */ q("p", {
					class: "quiet small",
					children: "The device has no known peak."
				}) : null
			] }),
			/* @__PURE__ */ q("fieldset", { children: [/* @__PURE__ */ q("legend", { children: "Bandwidth" }), t.memory.slice(0, o ? void 0 : 1).map((e) => /* @__PURE__ */ q(Lv, {
				roof: e,
				now: _(e),
				unit: "GB/s",
				divisor: 1
			}, e.name))] }),
			v > 0 || o ? /* @__PURE__ */ q("button", {
				type: "button",
				class: "link small",
				onClick: () => s(!o),
				children: o ? "Only roofs that points have" : `${Ot(v, "more roof")}`
			}) : null,
			/* @__PURE__ */ q("fieldset", { children: [
				/* @__PURE__ */ q("legend", { children: "Thresholds" }),
				/* @__PURE__ */ q(zv, {
					name: "memory",
					now: c.memory
				}),
				/* @__PURE__ */ q(zv, {
					name: "compute",
					now: c.compute
				}),
				/* @__PURE__ */ q(zv, {
					name: "bound",
					now: c.bound
				})
			] }),
			/* @__PURE__ */ q("p", {
				class: "small",
				role: "status",
				children: l ? `${Ot(u, "point")} with another status than in the document${d ? `; ${d} keep its numbers` : ""}.` : "As the document has it."
			}),
			/* @__PURE__ */ q("div", {
				class: "buttons",
				children: [
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "button",
						disabled: !l,
						onClick: () => (ei(Dv), a(null)),
						children: "Reset"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "button",
						onClick: () => h().catch(p),
						title: "roofline_config.json, which `eaves roofline --config` reads",
						children: "Save config"
					}),
					e.live ? /* @__PURE__ */ q("button", {
						type: "button",
						class: "button",
						onClick: () => m().catch(p),
						children: "Load config"
					}) : null,
					/* @__PURE__ */ q("label", {
						class: "button file",
						children: [e.live ? "Load a file" : "Load config", /* @__PURE__ */ q("input", {
							type: "file",
							accept: ".json,application/json",
							class: "unseen",
							onChange: (e) => {
								let t = e.currentTarget, n = t.files?.[0];
								n && n.text().then((e) => f(Nv(e), n.name)).catch(p).finally(() => t.value = "");
							}
						})]
					})
				]
			}),
			i ? /* @__PURE__ */ q("p", {
				class: "warning-text small",
				role: "alert",
				children: i
			}) : null
		]
	});
}
// src/views/roofline/spec.ts
function Vv(e) {
	return `status-${e.toLowerCase().replace(" ", "-")}`;
}
var Hv = [
	"c1",
	"c2",
	"c3",
	"c4",
	"c5",
	"c6",
	"c7"
];
function Uv(e, t) {
	if (t === "status") return (e) => Vv(e.status);
	let n = ni(e, t).map(({ name: e }) => e);
	return (e) => Hv[n.indexOf(ti(e, t))] ?? "c8";
}
function Wv(e, t, n) {
	return e.measured && !n.measured ? !1 : (e.kind === "memory" || t.used.has(e.name) || t.beside.includes(e) && [...t.used].some((t) => t === e.name)) !== n.flipped.has(e.name);
}
function Gv(e, t) {
	let n = /* @__PURE__ */ new Map();
	for (let t of e) {
		let e = `${t.rate} ${t.measured}`, r = n.get(e);
		r ? r.names.push(t.name) : n.set(e, {
			rate: t.rate,
			measured: t.measured,
			names: [t.name]
		});
	}
	return [...n.values()].map(({ rate: e, measured: n, names: r }) => ({
		rate: e,
		measured: n,
		name: `${Kv(r)} ${ar(e * 1e9, `${t}/s`)}${n ? ", measured" : ""}`
	}));
}
function Kv(e) {
	let t = new Set(e.map((e) => e.split(" ").slice(1).join(" ")));
	return e.length < 2 || t.size > 1 ? e.join(" / ") : `${e.map((e) => e.split(" ")[0]).join(" / ")} ${[...t][0]}`.trim();
}
function qv(e, t) {
	return [...e.memory, ...e.beside.filter((e) => e.kind === "memory")].filter((n, r) => r === 0 || Wv(n, e, t)).map((t) => ({
		rate: t.rate,
		main: t === e.memory[0],
		measured: t.measured,
		name: `${t.name} ${ar(t.rate * 1e9, "B/s")}${t.measured ? ", measured" : ""}`
	}));
}
function Jv(e, t) {
	return t === "main" ? e.memory[0]?.name ?? "main memory" : e.memory.slice(1).find((e) => Ir(e.name) === t)?.name ?? t.toUpperCase();
}
function Yv(e, t, n, r) {
	let i = Uv(e.points, t.colour), a = r.size > 0 && e.points.some((e) => r.has(e.name)), o = e.points.map((o) => {
		let s = Hr(o, t.level), c = s !== null && n.has(o.index);
		return {
			x: s?.at === "chart" ? s.x : null,
			y: s?.y ?? 0,
			strip: s && s.at !== "chart" ? s.at : void 0,
			radius: _i(e.time ? Math.max(0, o.time ?? 0) / e.time : 0, e.points.length),
			symbol: o.symbol,
			fill: s?.at === "chart" && s.guess ? "open" : gi(o.status),
			colour: i(o),
			name: o.name,
			weight: (o.time ?? 0) + Math.max(0, o.headroom ?? 0),
			ring: o.flag !== null,
			ideal: t.level === "main" ? o.ideal : null,
			dim: a && !r.has(o.name),
			hidden: !c
		};
	}), s = [...e.compute, ...e.beside.filter((e) => e.kind === "compute")];
	return {
		label: "Roofline. Arrow keys go from point to point, plus and minus zoom, u undoes, 0 shows all.",
		xName: `Intensity${t.level === "main" ? "" : ` of ${Jv(e, t.level)}`} (${e.counts}/B)`,
		yName: `Performance (${e.counts}/s)`,
		knee: `${e.counts}/B`,
		xText: or,
		yText: (e) => ir(e * 1e9),
		spots: o,
		slopes: qv(e, t),
		plateaus: Gv(s.filter((n) => Wv(n, e, t)), e.counts),
		gaps: t.gaps
	};
}
// src/views/roofline/facts.ts
var Xv = "-";
function Zv(e, t) {
	return e === null ? Xv : t(e);
}
function Qv(e, t) {
	let { counts: n } = t, r = (e) => e === null ? Xv : ar(e * 1e9, `${n}/s`), i = t.memory[0], a = i && e.bandwidth !== null ? ` (${U(100 * e.bandwidth / i.rate)} of ${i.name})` : "", o = [
		["Status", e.status],
		["Of its roof", Zv(e.pct, U)],
		["Bound by", e.boundBy ?? Xv],
		["Class", e.class ?? Xv],
		["Time", Zv(e.time, V)],
		["Headroom", Zv(e.headroom, V)],
		["Calls", Zv(e.calls, bt)],
		["Intensity", e.intensity === null ? Xv : `${or(e.intensity)} ${n}/B`],
		["Without waste", e.ideal === null ? Xv : `${or(e.ideal)} ${n}/B`],
		["Knee", e.knee === null ? Xv : `${or(e.knee)} ${n}/B`],
		["Achieved", r(e.achieved)],
		["Roof", r(e.roof)],
		["Bandwidth", e.bandwidth === null ? Xv : ar(e.bandwidth * 1e9, "B/s") + a],
		["FLOPs a call", e.flops === null ? Xv : ar(e.flops, "FLOP")],
		["MACs a call", e.macs === null ? Xv : ar(e.macs, "MAC")],
		["Bytes a call", Zv(e.bytes, H)],
		["Data efficiency", Zv(e.dataEfficiency, U)],
		["Category", e.kind || Xv],
		["Type", e.dtype || Xv]
	];
	for (let [t, r] of Object.entries(e.caches)) r.bytes !== null && o.push([`Bytes of ${t.toUpperCase()}`, H(r.bytes)]), r.intensity !== null && o.push([`Intensity of ${t.toUpperCase()}`, `${or(r.intensity)} ${n}/B`]);
	return o.filter(([, e]) => e !== Xv);
}
var $v = /* @__PURE__ */ new Set([
	"Status",
	"Of its roof",
	"Bound by",
	"Time",
	"Headroom",
	"Calls",
	"Intensity",
	"Achieved",
	"Roof",
	"Category",
	"Type"
]);
function ey(e, t) {
	return Qv(e, t).filter(([e]) => $v.has(e));
}
function ty(e, t) {
	let { counts: n } = t, r = [], i = t.compute.find((t) => t.name === e.ceiling), a = ar(Lr(e, i?.counts), i?.counts === "mac" ? "MAC" : "FLOP");
	if (e.intensity !== null && e.bytes !== null) {
		let t = e.dataEfficiency === null ? "" : " that were moved";
		r.push(`intensity = ${a} / ${H(e.bytes)}${t} = ${or(e.intensity)} ${n}/B`);
	}
	return e.achieved !== null && e.time !== null && r.push(`achieved = ${a} × ${bt(e.calls ?? 1)} calls / ${V(e.time)} = ${ar(e.achieved * 1e9, `${n}/s`)}`), e.roof !== null && r.push(`roof = least of the peak of its type and each bandwidth × intensity = ${ar(e.roof * 1e9, `${n}/s`)}, by ${e.boundBy ?? "none"}`), e.pct !== null && e.time !== null && e.headroom !== null && (r.push(`of its roof = best time / time = ${V(e.time - e.headroom)} / ${V(e.time)} = ${U(e.pct)}`), r.push(`headroom = time − best time = ${V(e.headroom)}`)), r;
}
function ny(e, t) {
	let n = Object.keys(e.caches).length > 0, r = n ? "counters of the hardware" : "formula of the operator and its recorded shape, or as the input gives them", i = [
		["Operations", r],
		["Bytes", n ? "counters of the hardware" : e.dataEfficiency === null ? r : "measured; those that had to be moved by formula"],
		["Time", "recorded"]
	], a = t.compute.find((t) => t.name === e.ceiling), o = t.memory[0];
	return a && i.push([`Peak ${a.name}`, `${a.source} (${a.confidence})`]), o && i.push([`Bandwidth ${o.name}`, `${o.source} (${o.confidence})`]), i;
}
function ry(e) {
	try {
		let t = JSON.parse(e);
		return typeof t != "object" || !t || Array.isArray(t) ? e : `{\n${Object.entries(t).map(([e, t]) => `  ${JSON.stringify(e)}: ${JSON.stringify(t)}`).join(",\n")}\n}`;
	} catch {
		return e;
	}
}
// src/views/roofline/meanings.ts
function iy(e) {
	let t = e.boundBy;
	return {
		"Compute Bound": {
			is: `Near the peak of its units (${t ?? "compute"}): there is little left to gain from the same arithmetic.`,
			causes: ["enough work for each byte, and units that are kept busy"],
			next: "It gets faster with less arithmetic, a narrower type or more units, not with better memory access."
		},
		"Memory Bound": {
			is: `Near the bandwidth of ${t ?? "memory"}: it waits for bytes, and they come as fast as they can.`,
			causes: ["little arithmetic for each byte: elementwise work, copies, products with few rows"],
			next: "It gets faster by moving fewer bytes: fuse it with its neighbours, keep data in caches, store narrower types."
		},
		"Compute Inefficient": {
			is: "Has enough arithmetic for each byte to be limited by the units, yet leaves them idle most of the time.",
			causes: [
				"dimensions too small to fill the device",
				"tiles that do not fit the shape",
				"too little work in flight",
				"the slower of two kinds of units, such as vector instead of matrix units"
			],
			next: "Pad or batch the shape, choose another tile or algorithm, and check which units it runs on."
		},
		"Memory Inefficient": {
			is: "Has little arithmetic for each byte and still leaves memory idle most of the time.",
			causes: [
				"accesses that are not aligned or not contiguous",
				"large strides",
				"transfers too small to hide their latency",
				"too few of them in flight"
			],
			next: "Make accesses contiguous, move more with each of them, or fuse small ones."
		},
		Normal: {
			is: "In between: not near its roof, not far below it.",
			causes: [],
			next: "Look at what it loses in milliseconds before anything else."
		},
		Error: {
			is: "Cannot be judged: it has no time, or the device has no known peak for it.",
			causes: ["no time was recorded", "the type of its operands has no peak on this device"],
			next: "Give the device a peak for its type, or record it with its time."
		}
	}[e.status];
}
// src/views/roofline/detail.tsx
function ay({ status: e }) {
	return /* @__PURE__ */ q("i", {
		class: `swatch ${gi(e)}`,
		style: { "--mark": `var(--${Vv(e)})` },
		"aria-hidden": "true"
	});
}
function oy({ point: e, data: t, whole: n, close: r }) {
	let { is: i, causes: a, next: o } = iy(e), s = ty(e, t), c = n && e.time !== null ? ` · ${U(100 * e.time / n)} of the time of all points` : "";
	return /* @__PURE__ */ q("section", {
		class: "detail",
		"aria-label": `About ${e.name}`,
		style: { "--mark": `var(--${Vv(e.status)})` },
		children: [
			/* @__PURE__ */ q("header", { children: [/* @__PURE__ */ q("h3", { children: e.name }), /* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Close",
				onClick: r,
				children: "×"
			})] }),
			/* @__PURE__ */ q("div", {
				class: "verdict",
				children: [
					/* @__PURE__ */ q("p", {
						class: "headline",
						children: [
							/* @__PURE__ */ q(ay, { status: e.status }),
							/* @__PURE__ */ q("b", { children: e.status }),
							e.pct === null ? null : /* @__PURE__ */ q(cn, {
								about: () => ({
									title: "Of its roof",
									text: U(e.pct ?? 0),
									exact: `${e.pct} %`,
									formula: s.find((e) => e.startsWith("of its roof")) ?? "",
									provenance: "formula",
									section: "roofline",
									table: "points"
								}),
								children: [/* @__PURE__ */ q("b", { children: U(e.pct) }), " of its roof"]
							}),
							e.headroom !== null && e.headroom > 0 ? /* @__PURE__ */ q(cn, {
								about: () => ({
									title: "Headroom",
									text: V(e.headroom ?? 0),
									exact: `${e.headroom} ns`,
									formula: "Time above the best time, of all calls: what would be won if it reached its roof.",
									provenance: "formula",
									section: "roofline",
									table: "points"
								}),
								children: [/* @__PURE__ */ q("b", { children: V(e.headroom) }), " to win"]
							}) : null,
							/* @__PURE__ */ q("span", {
								class: "quiet",
								children: [e.time === null ? "no time" : V(e.time), c]
							})
						]
					}),
					/* @__PURE__ */ q("p", { children: i }),
					a.length ? /* @__PURE__ */ q("p", { children: [
						/* @__PURE__ */ q("span", {
							class: "quiet",
							children: "Usual causes: "
						}),
						a.join("; "),
						"."
					] }) : null,
					/* @__PURE__ */ q("p", { children: o }),
					e.knee === null ? null : /* @__PURE__ */ q("p", {
						class: "quiet",
						children: [
							"Its knee is at ",
							or(e.knee),
							" ",
							t.counts,
							"/B: left of it movement bounds, right of it arithmetic."
						]
					}),
					e.flag ? /* @__PURE__ */ q("p", {
						class: "warning-text",
						role: "alert",
						children: [
							/* @__PURE__ */ q("b", { children: "Above its roof, which cannot be." }),
							" Likely: ",
							e.flag,
							"."
						]
					}) : null,
					e.dataEfficiency !== null && e.dataEfficiency < 95 ? /* @__PURE__ */ q("p", {
						class: "warning-text",
						children: [
							"Only ",
							U(e.dataEfficiency),
							" of the bytes that were moved had to be: the rest was read again, or moved with what was needed."
						]
					}) : null,
					e.adjustable ? null : /* @__PURE__ */ q("p", {
						class: "quiet",
						children: "Its numbers are those of the document: changed roofs do not change them, for counters know more of it than its row."
					})
				]
			}),
			/* @__PURE__ */ q("dl", {
				class: "facts-grid",
				children: Qv(e, t).filter(([e]) => e !== "Status").map(([e, t]) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e }), /* @__PURE__ */ q("dd", { children: t })] }, e))
			}),
			/* @__PURE__ */ q("div", {
				class: "more",
				children: [
					/* @__PURE__ */ q("details", { children: [/* @__PURE__ */ q("summary", { children: "How the numbers follow" }), /* @__PURE__ */ q("pre", { children: s.join("\n") })] }),
					/* @__PURE__ */ q("details", { children: [/* @__PURE__ */ q("summary", { children: "Where they come from" }), /* @__PURE__ */ q("dl", {
						class: "lines",
						children: ny(e, t).map(([e, t]) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e }), /* @__PURE__ */ q("dd", { children: t })] }, e))
					})] }),
					e.record ? /* @__PURE__ */ q("details", { children: [/* @__PURE__ */ q("summary", { children: "Raw record" }), /* @__PURE__ */ q("pre", { children: ry(e.record) })] }) : null
				]
			})
		]
	});
}
// src/views/roofline/filters.tsx
function sy({ checked: e, change: t, label: n, count: r, title: i, status: a }) {
	return /* @__PURE__ */ q("label", {
		class: "check",
		title: i,
		children: [
			/* @__PURE__ */ q("input", {
				type: "checkbox",
				checked: e,
				onChange: t
			}),
			a ? /* @__PURE__ */ q(ay, { status: a }) : null,
			/* @__PURE__ */ q("span", { children: n }),
			/* @__PURE__ */ q("span", {
				class: "count",
				children: r
			})
		]
	});
}
function cy({ data: e, chosen: t }) {
	let n = e.time;
	return /* @__PURE__ */ q("div", {
		class: "stack",
		children: Ur.map((r) => {
			let i = ni(e.points, r);
			r === "status" && i.sort((e, t) => vr.indexOf(e.name) - vr.indexOf(t.name));
			let a = t.off[r];
			return /* @__PURE__ */ q("fieldset", { children: [/* @__PURE__ */ q("legend", { children: [Wr[r], a.size ? /* @__PURE__ */ q("button", {
				type: "button",
				class: "link",
				onClick: () => Jr(`off.${r}`, null),
				children: "all"
			}) : null] }), i.map(({ name: e, count: t, time: i }) => /* @__PURE__ */ q(sy, {
				checked: !a.has(e),
				change: () => qr(`off.${r}`, e),
				label: e,
				count: bt(t),
				title: n ? `${U(100 * i / n)} of the time` : "",
				...r === "status" ? { status: e } : {}
			}, e))] }, r);
		})
	});
}
function ly({ title: e, roofs: t, data: n, chosen: r, unit: i }) {
	return t.length ? /* @__PURE__ */ q("fieldset", { children: [/* @__PURE__ */ q("legend", { children: e }), t.map((e) => /* @__PURE__ */ q(sy, {
		checked: e === n.memory[0] || Wv(e, n, r),
		change: () => e === n.memory[0] ? void 0 : qr("roofs", e.name),
		label: `${e.name}${e.measured ? " (measured)" : ""}`,
		count: `${ir(e.rate * 1e9)}${i}`,
		title: `${e.source} (${e.confidence})`
	}, `${e.name} ${e.measured}`))] }) : null;
}
function uy({ data: e, chosen: t }) {
	let n = [...e.compute, ...e.beside.filter((e) => e.kind === "compute")], r = [...e.memory, ...e.beside.filter((e) => e.kind === "memory")], i = [...new Set(n.map((e) => e.unit))], a = [...new Set(n.map((e) => e.type))], o = [...n, ...r].filter((e) => e.measured).length, s = (r) => {
		let i = n.filter(r), a = i.some((n) => !Wv(n, e, t));
		for (let n of i) Wv(n, e, t) !== a && qr("roofs", n.name);
	}, c = (r) => n.filter(r).every((n) => Wv(n, e, t));
	return /* @__PURE__ */ q("div", {
		class: "stack",
		children: [
			a.length > 1 ? /* @__PURE__ */ q("div", {
				class: "chips",
				role: "group",
				"aria-label": "Roofs by type",
				children: [/* @__PURE__ */ q("span", {
					class: "quiet",
					children: "By type"
				}), a.map((e) => /* @__PURE__ */ q("button", {
					type: "button",
					class: "chip-button",
					"aria-pressed": c((t) => t.type === e),
					onClick: () => s((t) => t.type === e),
					children: e
				}, e))]
			}) : null,
			i.length > 1 ? /* @__PURE__ */ q("div", {
				class: "chips",
				role: "group",
				"aria-label": "Roofs by unit",
				children: [/* @__PURE__ */ q("span", {
					class: "quiet",
					children: "By unit"
				}), i.map((e) => /* @__PURE__ */ q("button", {
					type: "button",
					class: "chip-button",
					"aria-pressed": c((t) => t.unit === e),
					onClick: () => s((t) => t.unit === e),
					children: e || "any"
				}, e))]
			}) : null,
			/* @__PURE__ */ q(ly, {
				title: "Compute",
				roofs: n,
				data: e,
				chosen: t,
				unit: `${e.counts}/s`
			}),
			/* @__PURE__ */ q(ly, {
				title: "Memory",
				roofs: r,
				data: e,
				chosen: t,
				unit: "B/s"
			}),
			o ? /* @__PURE__ */ q("label", {
				class: "check",
				children: [
					/* @__PURE__ */ q("input", {
						type: "checkbox",
						checked: t.measured,
						onChange: () => Jr("measured", t.measured ? "no" : null)
					}),
					/* @__PURE__ */ q("span", { children: "Measured roofs beside theoretical ones" }),
					/* @__PURE__ */ q("span", {
						class: "count",
						children: o
					})
				]
			}) : /* @__PURE__ */ q("p", {
				class: "quiet small",
				children: [
					"No roof here was measured. ",
					/* @__PURE__ */ q("code", { children: "eaves device measure -o roofs.yaml" }),
					" measures this machine; hold the input against it with ",
					/* @__PURE__ */ q("code", { children: "--device roofs.yaml" }),
					"."
				]
			}),
			e.points.some((e) => e.ideal !== null) ? /* @__PURE__ */ q("label", {
				class: "check",
				children: [/* @__PURE__ */ q("input", {
					type: "checkbox",
					checked: t.gaps,
					onChange: () => Jr("gaps", t.gaps ? "no" : null)
				}), /* @__PURE__ */ q("span", { children: "Arrows to the intensity without needless bytes" })]
			}) : null
		]
	});
}
// src/views/roofline/kernels.tsx
var dy = 42;
function fy({ data: e, shown: t, chosen: n, selected: r, choose: i, hover: a }) {
	let o = R(null), [s, c] = F(0), [l, u] = F(480), d = t.indexOf(n);
	Te(() => {
		let e = o.current;
		e && (u(e.clientHeight), d >= 0 && (d * dy < e.scrollTop || (d + 1) * dy > e.scrollTop + e.clientHeight) && (e.scrollTop = Math.max(0, d * dy - e.clientHeight / 2)));
	}, [d]);
	let f = t.reduce((t, n) => Math.max(t, e.points[n]?.time ?? 0), 0), [p, m] = kn(t.length, s, l, dy);
	return /* @__PURE__ */ q("div", {
		class: "kernels",
		ref: o,
		role: "listbox",
		"aria-label": "Kernels, the most time first",
		"aria-multiselectable": !0,
		tabIndex: 0,
		"aria-activedescendant": d >= 0 ? `kernel-${n}` : void 0,
		onScroll: (e) => c(e.currentTarget.scrollTop),
		onKeyDown: (e) => {
			let n = {
				ArrowDown: 1,
				ArrowUp: -1,
				PageDown: 10,
				PageUp: -10
			}[e.key];
			if (n === void 0) return;
			let r = t[Math.max(0, Math.min(t.length - 1, d < 0 ? 0 : d + n))];
			r !== void 0 && i(r, !1), e.preventDefault(), e.stopPropagation();
		},
		onMouseLeave: () => a(-1),
		children: [/* @__PURE__ */ q("div", {
			style: { height: `${t.length * dy}px` },
			children: /* @__PURE__ */ q("div", {
				style: { transform: `translateY(${p * dy}px)` },
				children: t.slice(p, m).map((t) => {
					let o = e.points[t];
					if (!o) return null;
					let s = o.time !== null && f ? 100 * Math.max(0, o.time) / f : 0;
					return /* @__PURE__ */ q("div", {
						id: `kernel-${t}`,
						role: "option",
						"aria-selected": r.has(o.name),
						class: `kernel${t === n ? " here" : ""}`,
						title: o.name,
						style: { "--part": `${s}%` },
						onClick: (e) => i(t, e.ctrlKey || e.metaKey || e.shiftKey),
						onMouseEnter: () => a(t),
						children: [
							/* @__PURE__ */ q(ay, { status: o.status }),
							/* @__PURE__ */ q("span", {
								class: "kernel-name",
								children: Li(o.name, 36)
							}),
							/* @__PURE__ */ q("span", {
								class: "kernel-time",
								children: o.time === null ? "-" : V(o.time)
							}),
							/* @__PURE__ */ q("span", {
								class: "kernel-more",
								children: [o.kind, o.dtype].filter(Boolean).join(" · ")
							}),
							/* @__PURE__ */ q("span", {
								class: `kernel-roof${o.flag ? " critical" : ""}`,
								children: o.pct === null ? "no roof" : o.flag ? "above its roof" : `${U(o.pct)} of roof`
							})
						]
					}, t);
				})
			})
		}), t.length === 0 ? /* @__PURE__ */ q("p", {
			class: "empty",
			children: "No kernel is left by the filters."
		}) : null]
	});
}
// src/views/roofline/script.tsx
var py = 300;
function my({ source: e }) {
	let [t, n] = F(null), [r, i] = F(""), [a, o] = F(""), [s, c] = F(null), [l, u] = F(null), d = R(null), f = R(null), p = R(0), m = (e) => u(e instanceof Error ? e.message : String(e)), h = () => {
		e.ask("ops").then((e) => {
			n(e.script), i(e.script), o(e.path);
		}).catch(m);
	};
	if (L(() => (h(), e.listen("events", (e) => {
		e.kind === "ops" && h();
	})), [e]), L(() => {
		if (t === null) return;
		let n = setTimeout(() => {
			p.current += 1;
			let n = p.current;
			e.ask("ops/check", { script: t }).then((e) => {
				n === p.current && (c(e), u(null));
			}).catch(m);
		}, py);
		return () => clearTimeout(n);
	}, [t]), t === null) return l ? /* @__PURE__ */ q("p", {
		class: "warning-text",
		children: l
	}) : /* @__PURE__ */ q("p", {
		class: "quiet",
		children: "Reading the script…"
	});
	let g = t.split("\n").length, _ = new Set(s?.errors.map((e) => e.line)), v = (e) => {
		let n = d.current;
		if (!n || e === null) return;
		let r = t.split("\n").slice(0, e - 1).join("\n").length + +(e > 1);
		n.focus(), n.setSelectionRange(r, r + (t.split("\n")[e - 1]?.length ?? 0));
	};
	return /* @__PURE__ */ q("div", {
		class: "stack script",
		children: [
			/* @__PURE__ */ q("p", {
				class: "quiet small",
				children: [
					"Formulas of operators: ",
					/* @__PURE__ */ q("code", { children: [
						"op(\"ID_SOFTMAX\", |cmd| #",
						"{",
						" flops: …, bytes: … ",
						"}",
						")"
					] }),
					". ",
					a
				]
			}),
			/* @__PURE__ */ q("div", {
				class: "editor",
				children: [/* @__PURE__ */ q("div", {
					class: "gutter",
					ref: f,
					"aria-hidden": "true",
					children: Array.from({ length: g }, (e, t) => /* @__PURE__ */ q("div", {
						class: _.has(t + 1) ? "wrong" : "",
						children: t + 1
					}, t))
				}), /* @__PURE__ */ q("textarea", {
					ref: d,
					spellcheck: !1,
					wrap: "off",
					"aria-label": "Script with formulas",
					"aria-invalid": s ? !s.ok : void 0,
					value: t,
					onInput: (e) => n(e.currentTarget.value),
					onScroll: (e) => {
						f.current && (f.current.scrollTop = e.currentTarget.scrollTop);
					}
				})]
			}),
			/* @__PURE__ */ q("div", {
				role: "status",
				class: "small",
				children: [
					s?.ok ? /* @__PURE__ */ q("p", {
						class: "better",
						children: "No errors"
					}) : null,
					s?.errors.map((e, t) => /* @__PURE__ */ q("p", {
						class: "warning-text",
						children: [
							/* @__PURE__ */ q("button", {
								type: "button",
								class: "link",
								onClick: () => v(e.line),
								children: e.line === null ? "script" : `line ${e.line}`
							}),
							": ",
							e.message
						]
					}, t)),
					l ? /* @__PURE__ */ q("p", {
						class: "warning-text",
						children: l
					}) : null
				]
			}),
			/* @__PURE__ */ q("div", {
				class: "buttons",
				children: [/* @__PURE__ */ q("button", {
					type: "button",
					class: "button",
					disabled: t === r || s?.ok === !1,
					onClick: () => {
						e.ask("ops", { script: t }, "PUT").then((e) => {
							i(e.script), Vn(`Saved to ${e.path}`);
						}).catch(m);
					},
					children: "Save"
				}), /* @__PURE__ */ q("button", {
					type: "button",
					class: "button",
					disabled: t === r,
					onClick: () => n(r),
					children: "Revert"
				})]
			})
		]
	});
}
// src/views/roofline/index.tsx
var hy = [
	["kernels", "Kernels"],
	["filters", "Filters"],
	["roofs", "Roofs"],
	["adjust", "Adjust"],
	["script", "Script"]
];
function gy() {
	let e = {
		group: "Roofline",
		listed: !0,
		run: () => !1
	};
	return [
		{
			keys: ["+", "-"],
			does: "Zoom in, out (chart focused)",
			...e
		},
		{
			keys: ["u"],
			does: "Undo the last zoom",
			...e
		},
		{
			keys: ["0"],
			does: "Show everything",
			...e
		},
		{
			keys: ["b"],
			does: "Drag a box or move",
			...e
		},
		{
			keys: ["ArrowUp", "ArrowDown"],
			does: "From point to point",
			...e
		}
	];
}
function _y(e, t, n) {
	let r = e.tables.find((e) => e.id === "points") ?? {
		id: "points",
		columns: [],
		rows: []
	}, i = (e) => r.columns.findIndex((t) => t.id === e), a = {
		roof_gflops: i("roof_gflops"),
		pct_of_roof: i("pct_of_roof"),
		class: i("class"),
		bound_by: i("bound_by"),
		headroom_ns: i("headroom_ns"),
		status: i("status"),
		flag: i("flag"),
		delta: i("delta_log10_oi_to_knee")
	}, o = [...n].flatMap((e) => {
		let n = r.rows[e], i = t.points[e];
		if (!n || !i) return [];
		let o = [...n], s = (e, t) => {
			e >= 0 && (o[e] = t);
		};
		return s(a.roof_gflops, i.roof), s(a.pct_of_roof, i.pct), s(a.class, i.class), s(a.bound_by, i.boundBy), s(a.headroom_ns, i.headroom), s(a.status, i.status), s(a.flag, i.flag), s(a.delta, i.delta), [o];
	});
	return {
		...r,
		rows: o
	};
}
function vy(e, t, n) {
	let r = [];
	t.device && r.push(`--device ${t.device}`), n.rates.size && r.push("--config roofline_config.json");
	let { bound: i, memory: a, compute: o, balanced: s } = n.limits;
	return i !== void 0 && r.push(`--bound-limit ${i}`), a !== void 0 && r.push(`--memory-threshold ${a}`), o !== void 0 && r.push(`--compute-threshold ${o}`), s !== void 0 && r.push(`--balanced ${s}`), Kn(e.document, "roofline", r.join(" "));
}
function yy({ data: e, chosen: t }) {
	let n = Uv(e.points, t.colour), r = Object.keys(vi).filter((t) => e.points.some((e) => e.symbol === t)), i = ni(e.points, t.colour);
	t.colour === "status" && i.sort((e, t) => vr.indexOf(e.name) - vr.indexOf(t.name));
	let a = e.points.filter((e) => Hr(e, t.level) === null).length, o = [
		e.time ? "area: share of the time" : "",
		e.points.some((e) => e.flag) ? "ring: above its roof" : "",
		e.points.some((e) => e.ideal !== null) && t.gaps ? "arrow: to the intensity without needless bytes" : "",
		e.points.some((e) => e.time === null) ? "dotted: no time, drawn at its roof" : "",
		a ? `${bt(a)} without a place on these axes` : "",
		e.unmodelled.length ? `${Ot(e.unmodelled.length, "row")} without a formula in no chart` : ""
	].filter(Boolean);
	return /* @__PURE__ */ q("div", {
		class: "legend",
		children: [
			i.slice(0, 8).map(({ name: r }) => {
				let i = e.points.find((e) => ti(e, t.colour) === r);
				return /* @__PURE__ */ q("span", { children: [
					/* @__PURE__ */ q("i", {
						class: `swatch ${t.colour === "status" ? gi(r) : "full"}`,
						style: { "--mark": `var(--${i ? n(i) : "c8"})` }
					}),
					" ",
					r
				] }, r);
			}),
			r.map((e) => /* @__PURE__ */ q("span", { children: [/* @__PURE__ */ q("svg", {
				width: "12",
				height: "12",
				viewBox: "-7 -7 14 14",
				"aria-hidden": "true",
				children: /* @__PURE__ */ q("path", {
					d: pi(e, 4.6),
					fill: "none",
					stroke: "currentColor",
					"stroke-width": "1.3"
				})
			}), vi[e]] }, e)),
			o.map((e) => /* @__PURE__ */ q("span", { children: e }, e))
		]
	});
}
function by(e) {
	let { source: t } = e;
	pn(gy);
	let n = zt.value["roofline.device"] ?? "", { document: r, state: i } = si(t, e.document, n), a = W(r, "roofline"), o = z(() => Br(r), [r]), s = z(Zr, [zt.value]), c = z(() => jv(o, s), [o, s]), l = z(() => Yr(o), [o, zt.value]), u = It.value, d = z(() => ii(c.points, l, u), [
		c,
		l,
		l.only ? u : null
	]), f = z(() => Yv(c, l, new Set(d), u), [
		c,
		l,
		d,
		u
	]), [p, m] = F(-1), [h, g] = F(-1), _ = R(() => null), v = p >= 0 && u.has(c.points[p]?.name ?? "") ? p : u.size === 1 ? c.points.findIndex((e) => u.has(e.name)) : -1, y = z(() => {
		let e = /* @__PURE__ */ new Set();
		if (v >= 0 && e.add(v), u.size) for (let t of c.points) u.has(t.name) && e.add(t.index);
		return h >= 0 && e.add(h), e;
	}, [
		v,
		u,
		c,
		h
	]), b = (e, t) => {
		let n = c.points[e];
		n ? t ? Vt(n.name) : e === v && u.size === 1 ? (Bt([]), m(-1)) : (m(e), u.size === 1 && u.has(n.name) || Bt([n.name])) : (t || Bt([]), m(-1));
	}, S = (e, t) => {
		let n = c.points[e];
		!n || !t ? Xt() : Yt(t, /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q($t, {
			title: n.name,
			lines: ey(n, c)
		}), n.flag ? /* @__PURE__ */ q("p", {
			class: "warning-text",
			children: ["Above its roof: ", n.flag]
		}) : null] }));
	}, C = d.reduce((e, t) => e + Math.max(0, c.points[t]?.time ?? 0), 0), w = `${bt(d.length)} of ${Ot(c.points.length, "kernel")}${c.time ? `, ${U(100 * C / c.time)} of time` : ""}`, T = {
		name: "roofline",
		svg: () => _.current(),
		table: a ? () => _y(a, c, d) : void 0,
		command: vy(e, l, s)
	}, E = c.points[v], D = hy.filter(([e]) => e !== "script" || t.live), O = D.find(([e]) => e === l.side)?.[0] ?? "kernels", ee = [
		"headroom_ns",
		"assessed_pct",
		"above_roof"
	].flatMap((e) => Pt(r, "roofline", e) ?? []);
	return /* @__PURE__ */ q("div", {
		class: "roofline",
		children: [/* @__PURE__ */ q(X, {
			title: "Roofline",
			exports: T,
			tools: /* @__PURE__ */ q(ci, {
				source: t,
				own: Br(e.document).device,
				device: n,
				custom: s.rates.size > 0,
				state: i
			}),
			children: [
				/* @__PURE__ */ q("div", {
					class: "bar",
					children: [
						/* @__PURE__ */ q("input", {
							type: "search",
							placeholder: "Names",
							"aria-label": "Search names of kernels",
							value: l.query,
							onInput: (e) => Jr("query", e.currentTarget.value || null)
						}),
						/* @__PURE__ */ q("label", { children: [
							/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Colour"
							}),
							" ",
							/* @__PURE__ */ q("select", {
								value: l.colour,
								"aria-label": "Colour by",
								onChange: (e) => Jr("colour", e.currentTarget.value === "status" ? null : e.currentTarget.value),
								children: Ur.map((e) => /* @__PURE__ */ q("option", {
									value: e,
									children: Wr[e].toLowerCase()
								}, e))
							})
						] }),
						c.levels.length ? /* @__PURE__ */ q("label", { children: [
							/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Memory level"
							}),
							" ",
							/* @__PURE__ */ q("select", {
								value: l.level,
								"aria-label": "Memory level",
								onChange: (e) => Jr("level", e.currentTarget.value === "main" ? null : e.currentTarget.value),
								children: ["main", ...c.levels].map((e) => /* @__PURE__ */ q("option", {
									value: e,
									children: Jv(c, e)
								}, e))
							})
						] }) : null,
						/* @__PURE__ */ q("label", {
							class: "slider",
							children: [/* @__PURE__ */ q("span", {
								class: "quiet",
								children: "Top by time"
							}), /* @__PURE__ */ q("input", {
								type: "range",
								min: "1",
								max: "100",
								value: l.share,
								"aria-label": "Top kernels by cumulative time",
								"aria-valuetext": w,
								onInput: (e) => Jr("share", e.currentTarget.value === "100" ? null : e.currentTarget.value)
							})]
						}),
						/* @__PURE__ */ q("span", {
							role: "status",
							class: "said",
							children: w
						}),
						/* @__PURE__ */ q("button", {
							type: "button",
							class: "quiet-button",
							"aria-pressed": l.only,
							disabled: u.size === 0 && !l.only,
							onClick: () => Jr("only", l.only ? null : "yes"),
							children: l.only ? "Show others" : "Only selected"
						})
					]
				}),
				Lt.value ? /* @__PURE__ */ q("p", {
					class: "note small",
					role: "note",
					children: [
						"A time of ",
						V(Lt.value[1] - Lt.value[0]),
						" is selected. Points are sums over the whole recording, so it does not cut them."
					]
				}) : null,
				/* @__PURE__ */ q("div", {
					class: "work",
					children: [/* @__PURE__ */ q("div", {
						class: "chart-column",
						children: [/* @__PURE__ */ q(oa, {
							id: "roofline",
							spec: f,
							chosen: y,
							height: 520,
							drawing: (e) => _.current = e,
							choose: b,
							hover: S
						}), /* @__PURE__ */ q(yy, {
							data: c,
							chosen: l
						})]
					}), /* @__PURE__ */ q("aside", {
						class: "side",
						"aria-label": "Kernels, filters and roofs",
						children: [/* @__PURE__ */ q("div", {
							class: "sub-tabs",
							role: "tablist",
							"aria-label": "Beside the chart",
							children: D.map(([e, t]) => /* @__PURE__ */ q("button", {
								type: "button",
								role: "tab",
								"aria-selected": O === e,
								onClick: () => Jr("side", e === "kernels" ? null : e),
								children: [t, e === "adjust" && Ov(s) ? " •" : ""]
							}, e))
						}), /* @__PURE__ */ q("div", {
							class: "side-body",
							role: "tabpanel",
							children: [
								O === "kernels" ? /* @__PURE__ */ q(fy, {
									data: c,
									shown: d,
									chosen: v,
									selected: u,
									choose: b,
									hover: g
								}) : null,
								O === "filters" ? /* @__PURE__ */ q(cy, {
									data: c,
									chosen: l
								}) : null,
								O === "roofs" ? /* @__PURE__ */ q(uy, {
									data: c,
									chosen: l
								}) : null,
								O === "adjust" ? /* @__PURE__ */ q(Bv, {
									source: t,
									document: o,
									data: c,
									adjustment: s
								}) : null,
								O === "script" ? /* @__PURE__ */ q(my, { source: t }) : null
							]
						})]
					})]
				}),
				E ? /* @__PURE__ */ q(oy, {
					point: E,
					data: c,
					whole: c.time || null,
					close: () => b(-1, !1)
				}) : /* @__PURE__ */ q("p", {
					class: "detail-none quiet",
					children: [ee.map((e) => /* @__PURE__ */ q("span", { children: [
						/* @__PURE__ */ q(sn, {
							entry: e,
							section: a
						}),
						" ",
						e.id === "headroom_ns" ? "above the best time" : e.id === "assessed_pct" ? "of the time is held against a roof" : "above their roof",
						" · "
					] }, e.id)), "choose a point or a kernel to see what it is, what usually causes it and what it loses."]
				})
			]
		}), a ? /* @__PURE__ */ q(xy, {
			section: a,
			points: _y(a, c, d)
		}) : null]
	});
}
function xy({ section: e, points: t }) {
	let n = [t, ...e.tables.filter((e) => [
		"by_operator",
		"unmodelled",
		"roofs"
	].includes(e.id) && e.rows.length > 0)], r = zt.value["roofline.table"] ?? "points", i = n.find((e) => e.id === r) ?? t;
	return /* @__PURE__ */ q(X, {
		title: "Behind the chart",
		exports: {
			name: `roofline-${i.id}`,
			table: () => i
		},
		children: [/* @__PURE__ */ q("div", {
			class: "sub-tabs",
			role: "tablist",
			"aria-label": "Tables",
			children: n.map((e) => /* @__PURE__ */ q("button", {
				type: "button",
				role: "tab",
				"aria-selected": e === i,
				onClick: () => Jr("table", e.id === "points" ? null : e.id),
				children: [
					e.title ?? e.id,
					" ",
					/* @__PURE__ */ q("span", {
						class: "quiet-count",
						children: bt(e.rows.length)
					})
				]
			}, e.id))
		}), /* @__PURE__ */ q(ro, {
			table: i,
			section: e,
			id: `roofline.${i.id}`,
			rows: 14
		})]
	});
}
var Sy = {
	id: "roofline",
	title: "Roofline",
	missing({ document: e }) {
		let t = W(e, "roofline");
		if (t?.tables.some((e) => e.id === "points" && e.rows.length > 0)) return;
		let n = e.skipped.find((e) => e.id === "roofline"), r = t?.tables.find((e) => e.id === "unmodelled"), i = r?.rows[0]?.[r.columns.findIndex((e) => e.id === "reason")];
		return typeof i == "string" ? `No point has a roof: ${i}.` : n ? `${n.missing}. ${n.how_to_record}` : "No operator or kernel here has a formula or counters. Record shapes with `eaves profile`, or hold a table of kernels against a device: `eaves roofline kernels.csv --device h100-sxm`.";
	},
	Component: by
};
// src/views/sections.tsx
function Cy({ document: e }) {
	let t = G("sections.open", e.sections[0]?.id ?? ""), n = G("sections.table") || void 0, r = W(e, t) ?? e.sections[0];
	return L(() => window.document.getElementById("view")?.scrollTo(0, 0), [t, n]), r ? /* @__PURE__ */ q("div", {
		class: "beside",
		children: [/* @__PURE__ */ q("nav", {
			"aria-label": "Sections",
			class: "section-list",
			children: [/* @__PURE__ */ q("ul", { children: e.sections.map((e) => {
				let t = e.tables.reduce((e, t) => e + t.rows.length, 0);
				return /* @__PURE__ */ q("li", { children: /* @__PURE__ */ q("button", {
					type: "button",
					"aria-current": e === r ? "true" : void 0,
					onClick: () => {
						K("sections.open", e.id), K("sections.table", null);
					},
					children: [
						/* @__PURE__ */ q("span", { children: e.title }),
						e.findings.length ? /* @__PURE__ */ q("b", {
							title: `${e.findings.length} findings`,
							children: e.findings.length
						}) : null,
						/* @__PURE__ */ q("small", { children: bt(t) })
					]
				}) }, e.id);
			}) }), /* @__PURE__ */ q(er, { exports: {
				name: "document",
				json: () => e,
				command: Kn(e, void 0, "--json")
			} })]
		}), /* @__PURE__ */ q(Po, {
			document: e,
			section: r,
			only: n
		}, r.id)]
	}) : /* @__PURE__ */ q(tr, { children: "The document has no sections." });
}
var wy = {
	id: "sections",
	title: "All sections",
	Component: Cy
}, Ty = 6, Ey = class {
	#e;
	#t;
	#n;
	constructor(e, t, n) {
		this.#e = e, this.#t = t, this.#n = Math.min(n, e.length);
	}
	next() {
		let e = this.#e;
		if (this.#t >= this.#n) throw Error("the data of the timeline ends early");
		let t = e[this.#t++];
		if (t < 128) return t;
		let n = t & 127, r = 128;
		do {
			if (this.#t >= this.#n) throw Error("the data of the timeline ends early");
			t = e[this.#t++], n += (t & 127) * r, r *= 128;
		} while (t > 127);
		return n;
	}
};
function Dy(e) {
	return e % 2 ? -(e + 1) / 2 : e / 2;
}
function Oy(e) {
	let t = [], n = 0;
	return {
		ranks: e.ranks.map((e) => {
			let r = /* @__PURE__ */ new Map(), i = e.tracks.map((i) => {
				let a = `${e.rank}/${i.group}/${i.name}`, o = r.get(a) ?? 0;
				r.set(a, o + 1);
				let s = o ? `${a}/${o}` : a, c = {
					key: s,
					rank: e.rank,
					group: i.group,
					name: i.name,
					stream: i.stream,
					rows: []
				};
				for (let [e, r, a] of i.rows) {
					let i = {
						index: t.length,
						key: `${s}|${e}.${r}`,
						track: c,
						band: e,
						depth: r,
						from: n,
						to: n + a
					};
					n += a, c.rows.push(i), t.push(i);
				}
				return c;
			});
			return {
				...e,
				tracks: i
			};
		}),
		rows: t,
		total: n
	};
}
function ky(e) {
	let t = new Uint8Array(e);
	if (t.length < 4) throw Error("the data of the timeline is empty");
	let n = new DataView(e).getUint32(0, !0);
	if (n + 4 > t.length) throw Error("the data of the timeline ends early");
	let r = JSON.parse(new TextDecoder().decode(t.subarray(4, 4 + n)));
	if (r.columns.length !== Ty) throw Error("the data of the timeline is of another version of eaves");
	let i = 4 + n, [a, o, s, c, l, u] = r.columns.map((e) => {
		let n = new Ey(t, i, i + e);
		return i += e, n;
	}), { ranks: d, rows: f, total: p } = Oy(r), m = {
		head: r,
		ranks: d,
		rows: f,
		total: p,
		start: new Float64Array(p),
		end: new Float64Array(p),
		name: new Uint32Array(p),
		detail: new Uint32Array(p),
		count: new Uint32Array(p),
		busy: new Float64Array(p),
		launch: new Int32Array(p).fill(-1)
	}, { start: h, end: g, name: _, detail: v, count: y, busy: b, launch: x } = m;
	for (let e of f) {
		let t = 0;
		for (let n = e.from; n < e.to; n++) {
			let e = t + Dy(a.next()), r = o.next();
			h[n] = e, g[n] = t = e + r, _[n] = s.next(), v[n] = c.next();
			let i = l.next();
			y[n] = i + 1, b[n] = i ? l.next() : r;
		}
	}
	for (let e of d) {
		let t = 0;
		for (let n of e.tracks) if (n.stream) for (let e of n.rows) for (let n = e.from; n < e.to; n++) {
			let e = u.next();
			e && (x[n] = t += Dy(e - 1));
		}
	}
	return m;
}
// src/views/timeline/sums.ts
function Ay(e, t) {
	let { data: n, lod: r } = e, { start: i, end: a, busy: o, count: s, name: c, head: l } = n, u = new Float64Array(l.names.length), d = new Float64Array(l.names.length), f = new Float64Array(l.names.length).fill(Infinity), p = new Float64Array(l.names.length).fill(-1), m = 0;
	for (let { row: e, from: n, to: l } of t) for (let t = r.after(e.from, e.to, n); t < e.to && i[t] < l; t++) {
		let e = c[t];
		if (u[e] += s[t], d[e] += o[t], s[t] > 1) {
			m += s[t];
			continue;
		}
		let n = a[t] - i[t];
		n < f[e] && (f[e] = n), n > p[e] && (p[e] = n);
	}
	let h = [];
	u.forEach((e, t) => {
		if (e === 0) return;
		let n = p[t] >= 0;
		h.push({
			name: l.names[t] ?? "",
			count: e,
			sum: d[t],
			least: n ? f[t] : null,
			most: n ? p[t] : null
		});
	}), h.sort((e, t) => t.sum - e.sum);
	let g = (e) => e.reduce((e, t) => e + t, 0);
	return {
		names: h,
		count: g(u),
		sum: g(d),
		grouped: m
	};
}
function jy(e) {
	return {
		id: "area",
		title: "Slices in the area by name",
		columns: [
			{
				id: "name",
				title: "Name",
				unit: null
			},
			{
				id: "count",
				title: "Count",
				unit: "count"
			},
			{
				id: "total_ns",
				title: "Sum",
				unit: "ns"
			},
			{
				id: "share_pct",
				title: "Share",
				unit: "%"
			},
			{
				id: "mean_ns",
				title: "Average",
				unit: "ns"
			},
			{
				id: "min_ns",
				title: "Least",
				unit: "ns"
			},
			{
				id: "max_ns",
				title: "Most",
				unit: "ns"
			}
		],
		rows: e.names.map(({ name: t, count: n, sum: r, least: i, most: a }) => [
			t,
			n,
			r,
			e.sum > 0 ? 100 * r / e.sum : null,
			r / n,
			i,
			a
		])
	};
}
function My(e, t) {
	let n = e.start.length, r = 0;
	for (let e = 0; e < n; e++) t(e) && r++;
	let i = new Float64Array(r), a = new Float64Array(r);
	for (let r = 0, o = 0; r < n; r++) t(r) && (i[o] = e.start[r], a[o++] = e.end[r]);
	i.sort(), a.sort();
	let o = 0;
	for (let e = 0, t = 0, n = 0; e < r;) {
		let s = i[n];
		for (; e < r && (e === n || i[e] <= a[t]);) e++, t = e - 1;
		i[o] = s, a[o++] = a[t], n = e;
	}
	let s = new Float64Array(o + 1);
	for (let e = 0; e < o; e++) s[e + 1] = s[e] + a[e] - i[e];
	return {
		start: i.slice(0, o),
		end: a.slice(0, o),
		before: s
	};
}
function Ny({ start: e, end: t, before: n }, r, i) {
	let a = (r) => {
		let i = 0, a = e.length;
		for (; i < a;) {
			let e = i + a >>> 1;
			t[e] > r ? a = e : i = e + 1;
		}
		return n[i] + Math.max(0, i < e.length ? r - e[i] : 0);
	};
	return a(i) - a(r);
}
function Py(e, t) {
	let { data: n } = e, r = new Uint8Array(n.total), i = new Uint8Array(n.total);
	for (let e of n.rows) e.track.stream && r.fill(1, e.from, e.to), (t === null || e.track.rank === t) && i.fill(1, e.from, e.to);
	let a = n.head.classes.map((e, t) => t !== 3 && t !== 7), o = (t) => (n) => i[n] === 1 && r[n] === t && a[e.classOf(n)] === !0;
	return {
		host: My(n, o(0)),
		device: My(n, o(1))
	};
}
// src/views/timeline/details.tsx
function Fy(e, t) {
	let { data: n } = e, { start: r, end: i, busy: a, count: o, detail: s, head: c, ranks: l } = n, { track: u } = e.rowOf(t), d = [], f = i[t] - r[t];
	o[t] > 1 ? (d.push(["Short slices", `${bt(o[t])} in ${V(f)}, the longest is named`]), d.push(["Busy", V(a[t])])) : d.push(["Duration", V(f)]), d.push(["Begins at", V(r[t])]), d.push(["Kind", c.classes[e.classOf(t)]?.[0] ?? ""]), d.push(["On", `${u.group}, ${u.name}${l.length > 1 ? `, rank ${u.rank}` : ""}`]);
	let p = s[t] ? c.details[s[t] - 1] : void 0;
	if (p?.startsWith("inputs ")) d.push(["Inputs", p.slice(7)]);
	else for (let e of p?.split(", ") ?? []) d.push(Iy(e));
	return d;
}
function Iy(e) {
	let t = /^(grid|block|occupancy) (.*)$/.exec(e);
	if (t) return [t[1].charAt(0).toUpperCase() + t[1].slice(1), t[2]];
	let n = /^(\S+(?: [KMGT]i?B)?) (registers|shared memory)$/.exec(e);
	return n ? [n[2].charAt(0).toUpperCase() + n[2].slice(1), n[1]] : / GB\/s$/.test(e) ? ["Bandwidth", e] : /^[\d.,]+ ([KMGT]i)?B$/.test(e) ? ["Bytes", e] : ["Detail", e];
}
function Ly({ timeline: e, entry: t, children: n }) {
	return /* @__PURE__ */ q("button", {
		type: "button",
		class: "link",
		onClick: () => e.choose(t, !0),
		children: n
	});
}
function Ry({ timeline: e, entry: t }) {
	let n = e.shown.value, { data: r } = n, i = r.launch[t], a = (e) => r.head.short[r.name[e]] || n.nameOf(e), o = [];
	if (i >= 0) {
		let s = n.operator(i);
		o.push(/* @__PURE__ */ q("li", { children: [
			"Launched ",
			V(r.start[t] - r.start[i]),
			" before it began by ",
			/* @__PURE__ */ q(Ly, {
				timeline: e,
				entry: i,
				children: a(i)
			})
		] }, "launch")), s >= 0 && o.push(/* @__PURE__ */ q("li", { children: ["For the operator ", /* @__PURE__ */ q(Ly, {
			timeline: e,
			entry: s,
			children: a(s)
		})] }, "operator"));
	} else {
		let r = n.caller(t);
		r >= 0 && o.push(/* @__PURE__ */ q("li", { children: ["Inside ", /* @__PURE__ */ q(Ly, {
			timeline: e,
			entry: r,
			children: a(r)
		})] }, "caller"));
		let i = e.arrowsOfChosen();
		if (i.length) {
			let [, t] = i[0], n = i.length >= 200 ? "200 or more" : String(i.length);
			o.push(/* @__PURE__ */ q("li", { children: [
				"Launched ",
				n,
				", first ",
				/* @__PURE__ */ q(Ly, {
					timeline: e,
					entry: t,
					children: a(t)
				})
			] }, "launched"));
		}
	}
	return o.length ? /* @__PURE__ */ q("ul", {
		class: "relations",
		children: o
	}) : null;
}
function zy({ timeline: e }) {
	e.chosen.value, G("timeline.arrows");
	let t = e.shown.value, n = e.chosenEntry();
	if (n < 0) {
		let t = e.chosen.value;
		return t ? /* @__PURE__ */ q("p", {
			class: "quiet",
			children: [t.name, ": zoom in to see it, it is in a group at this zoom."]
		}) : null;
	}
	return /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q("h2", {
			class: "mono",
			children: t.nameOf(n)
		}),
		/* @__PURE__ */ q("dl", {
			class: "facts-grid",
			children: Fy(t, n).map(([e, t], n) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e }), /* @__PURE__ */ q("dd", { children: t })] }, n))
		}),
		/* @__PURE__ */ q(Ry, {
			timeline: e,
			entry: n
		})
	] });
}
function By({ timeline: e, area: t }) {
	let n = e.shown.value, r = e.drawn?.offsets ?? /* @__PURE__ */ new Map(), i = n.data.rows.filter((e) => t.keys.has(e.key)).map((e) => ({
		row: e,
		from: t.from + (r.get(e.track.rank) ?? 0),
		to: t.to + (r.get(e.track.rank) ?? 0)
	})), a = Ay(n, i), o = jy(a);
	return /* @__PURE__ */ q(x, { children: [/* @__PURE__ */ q("header", {
		class: "area-head",
		children: [
			/* @__PURE__ */ q("h2", { children: Ot(a.count, "slice") }),
			/* @__PURE__ */ q("span", {
				class: "quiet",
				children: [
					Ot(a.names.length, "name"),
					" on ",
					Ot(i.length, "row"),
					" within ",
					V(t.to - t.from),
					" from ",
					V(t.from),
					"; ",
					V(a.sum),
					" in sum",
					a.grouped ? `; ${bt(a.grouped)} are in groups and count for the longest of theirs` : ""
				]
			}),
			/* @__PURE__ */ q("span", { class: "grow" }),
			/* @__PURE__ */ q(er, { exports: {
				name: "area",
				table: () => o
			} }),
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Close the area",
				onClick: () => e.area.value = null,
				children: "×"
			})
		]
	}), /* @__PURE__ */ q(ro, {
		table: o,
		id: "timeline.area",
		sort: "-total_ns",
		rows: 7,
		bare: !0
	})] });
}
function Vy({ timeline: e }) {
	let t = e.area.value, n = e.chosen.value;
	return !t && !n ? null : /* @__PURE__ */ q("section", {
		class: "timeline-details",
		"aria-live": "polite",
		"aria-label": "Details",
		children: [t ? /* @__PURE__ */ q(By, {
			timeline: e,
			area: t
		}) : /* @__PURE__ */ q(zy, { timeline: e }), t ? null : /* @__PURE__ */ q("button", {
			type: "button",
			class: "icon close",
			"aria-label": "Close the details",
			onClick: () => e.choose(-1),
			children: "×"
		})]
	});
}
// src/views/timeline/pointer.ts
var Hy = 4;
function Uy(e, t, n) {
	let r = new AbortController(), { signal: i } = r, { viewport: a } = e, o = null, s = () => e.drawn?.margin ?? 0;
	return t.addEventListener("wheel", (e) => {
		e.offsetX < s() && !e.ctrlKey || (e.preventDefault(), Iu(a, e, e.offsetX - s()));
	}, {
		passive: !1,
		signal: i
	}), t.addEventListener("pointerdown", (n) => {
		if (n.button !== 0 || !e.scroll) return;
		let r = n.offsetX >= s(), i = n.shiftKey || G("timeline.drag") === "area", c = r && n.offsetY < 30 ? "time" : r && i ? "area" : "move";
		o = {
			x: n.offsetX,
			y: n.offsetY,
			from: a.from,
			to: a.to,
			top: e.scroll.scrollTop,
			moved: !1,
			kind: c
		}, t.setPointerCapture(n.pointerId);
	}, { signal: i }), t.addEventListener("pointermove", (t) => {
		if (!o) {
			n.hover(t);
			return;
		}
		let [r, i] = [t.offsetX - o.x, t.offsetY - o.y];
		if (!(!o.moved && Math.abs(r) + Math.abs(i) < Hy)) {
			if (o.moved = !0, n.leave(), o.kind === "move") {
				e.scroll && (e.scroll.scrollTop = o.top - i);
				let t = r / a.width * (o.to - o.from);
				a.set(o.from - t, o.to - t);
			} else e.area.value = Wy(e, o, t.offsetX, t.offsetY);
		}
	}, { signal: i }), t.addEventListener("pointerup", (t) => {
		let n = o && !o.moved;
		if (o = null, !n) return;
		let r = e.drawn, i = r ? a_(r, t.offsetY) : void 0;
		t.offsetX < s() ? i?.kind === "row" && e.fold(i.track.key) : (e.area.value = null, e.choose(e.point({
			x: t.offsetX,
			y: t.offsetY
		})?.entry ?? -1));
	}, { signal: i }), t.addEventListener("pointercancel", () => o = null, { signal: i }), t.addEventListener("dblclick", (t) => t.offsetX >= s() && e.focus(), { signal: i }), t.addEventListener("pointerleave", () => n.leave(), { signal: i }), () => r.abort();
}
function Wy(e, t, n, r) {
	let i = e.drawn;
	if (!i) return null;
	let { viewport: a } = e, o = [t.x, n].map((e) => a.toAxis(Math.max(0, e - i.margin))), s = t.kind === "time" ? /* @__PURE__ */ new Set([...i.pinned.lineOf.keys(), ...i.scrolling.lineOf.keys()]) : c_(i, t.y, r);
	return {
		from: Math.min(...o),
		to: Math.max(...o),
		keys: s
	};
}
function Gy(e, t) {
	let n = new AbortController(), { signal: r } = n, { viewport: i } = e, a = null, o = (t) => {
		let n = e.drawn?.margin ?? 0, { from: r, to: a } = i.whole;
		return r + (t.offsetX - n) / i.width * (a - r);
	}, s = () => 3 * (i.whole.to - i.whole.from) / i.width;
	return t.addEventListener("pointerdown", (e) => {
		e.button === 0 && (a = o(e), t.setPointerCapture(e.pointerId));
	}, { signal: r }), t.addEventListener("pointermove", (e) => {
		let t = o(e);
		a !== null && Math.abs(t - a) > s() && i.set(Math.min(a, t), Math.max(a, t));
	}, { signal: r }), t.addEventListener("pointerup", (e) => {
		let t = o(e);
		a !== null && Math.abs(t - a) <= s() && i.set(t - i.length / 2, t + i.length / 2), a = null;
	}, { signal: r }), () => n.abort();
}
// src/views/timeline/colours.ts
var Ky = 5;
function qy(e) {
	let t = 0;
	for (let n = 0; n < e.length; n++) t = t * 31 + e.charCodeAt(n) | 0;
	return Math.abs(t) % Ky;
}
function Jy(e, t) {
	let n = e.classes.map(([, e, n]) => t ? n : e), r = n.map(Tu);
	return {
		texel: Uint32Array.from(e.names, (t, n) => {
			let i = 1.04 - qy(t) * .045, [a, o, s] = (r[e.class[n] ?? 0] ?? [
				128,
				128,
				128
			]).map((e) => Math.min(255, Math.round(e * i)));
			return (s << 16 | o << 8 | a) >>> 0;
		}),
		css: n
	};
}
// src/views/timeline/overview.ts
var Yy = 18;
function Xy(e) {
	return new Map(e.data.ranks.map(({ rank: t }) => [t, Py(e, t)]));
}
function Zy(e, t, n, r, i) {
	let a = 0, o = 0;
	for (let [s, c] of e) i !== null && e.has(i) && s !== i || c[t].start.length === 0 || (a += Ny(c[t], n, r) / (r - n), o++);
	return o ? 100 * a / o : null;
}
function Qy(e, t, n, r, i, a) {
	let o = document.createElement("canvas"), s = Math.max(1, Math.round(r * i));
	o.width = s, o.height = Math.round(40 * i);
	let c = o.getContext("2d");
	if (!c) return o;
	let l = (a.to - a.from) / s, { lod: u, data: d } = e, f = Bu(s);
	return [!1, !0].forEach((r, o) => {
		let p = new Float32Array(s), m = new Float32Array(s), h = new Int32Array(s).fill(-1);
		for (let e of d.rows) if (!(e.band !== 1 || e.track.stream !== r || e.depth > (r ? 0 : 3))) {
			u.draw(e.from, e.to, a.from, l, 0, s, f);
			for (let e = 0; e < s; e++) f.slice[e] < 0 || (f.cover[e] >= m[e] && (m[e] = f.cover[e], h[e] = f.slice[e]), f.cover[e] > p[e] && (p[e] = f.cover[e]));
		}
		if (n) for (let e = 0; e < s; e++) {
			let t = Zy(n, r ? "device" : "host", a.from + e * l, a.from + (e + 1) * l, null);
			p[e] = (t ?? 0) / 100;
		}
		let g = (o + 1) * 20 * i;
		for (let n = 0; n < s;) {
			let r = Math.round(Math.min(1, p[n]) * Yy * i), a = h[n] < 0 ? -1 : e.classOf(h[n]), o = n + 1;
			for (; o < s && Math.round(Math.min(1, p[o]) * Yy * i) === r && (h[o] < 0 ? -1 : e.classOf(h[o])) === a;) o++;
			a >= 0 && (c.fillStyle = t.css[a] ?? "#888", c.fillRect(n, g - Math.max(i, r), o - n, Math.max(i, r))), n = o;
		}
	}), o;
}
function $y(e, t, n, r, i, a, o, s, c) {
	let { context: l, width: u, height: d } = e;
	l.fillStyle = i.surface, l.fillRect(0, 0, u, d);
	let { from: f, to: p } = n.whole, m = u - o, h = (e) => o + (e - f) / (p - f) * m;
	l.drawImage(t, o, 4, m, 40), l.fillStyle = f_(a);
	for (let [, e] of s) l.fillRect(Math.round(h(e)), d - 6, 1, 5);
	let [g, _] = [Math.max(o, h(n.from)), Math.min(u, h(n.to))];
	l.fillStyle = i.surface, l.globalAlpha = .66, l.fillRect(o, 0, g - o, d), l.fillRect(_, 0, u - _, d), l.globalAlpha = 1, l.strokeStyle = i.text, l.strokeRect(g + .5, 1.5, Math.max(2, _ - g - 1), d - 4), l.font = "11px system-ui, sans-serif", l.textBaseline = "middle", ["host", "device"].forEach((e, t) => {
		let a = 4 + t * 20 + Yy / 2 + 2, s = r && Zy(r, e, n.from, n.to, c);
		l.fillStyle = i.quiet, l.fillText(e === "host" ? "hosts" : "devices", 8, a), l.fillStyle = i.text, l.textAlign = "right", s !== null && l.fillText(`${U(s)} busy`, o - 10, a), l.textAlign = "left";
	});
}
// src/views/timeline/search.ts
function eb(e) {
	let t = e.trim().toLowerCase();
	return t ? (e) => e.toLowerCase().includes(t) : null;
}
function tb(e, t) {
	return Uint8Array.from(e.data.head.names, (e) => +!!t(e));
}
function nb(e, t) {
	let { name: n, busy: r, count: i, total: a } = e.data, o = tb(e, t), [s, c, l, u] = [
		0,
		0,
		0,
		!1
	];
	for (let e = 0; e < a; e++) i[e] > 1 && (u = !0), o[n[e]] && (s++, c += i[e], l += r[e]);
	return {
		count: c,
		sum: l,
		atLeast: u,
		entries: s
	};
}
function rb(e, t) {
	let { name: n, start: r, total: i } = e.data, a = tb(e, t), o = [];
	for (let e = 0; e < i; e++) a[n[e]] && o.push(e);
	return Uint32Array.from(o).sort((e, t) => r[e] - r[t] || e - t);
}
var ib = class {
	query = B("");
	matches;
	found;
	at = B(-1);
	all = B(null);
	#e;
	#t;
	#n = null;
	#r;
	constructor(e, t) {
		this.#e = e, this.#t = t, this.matches = et(() => eb(this.query.value)), this.found = et(() => this.matches.value ? nb(t(), this.matches.value) : null);
	}
	ask(e) {
		this.query.value = e, this.at.value = -1, this.all.value = null, clearTimeout(this.#r), this.#e.live && e.trim() && (this.#r = setTimeout(() => void this.#i(e.trim()), 250));
	}
	async #i(e) {
		let t = new URLSearchParams(location.search).get("run") ?? "latest";
		try {
			let n = await this.#e.ask(`runs/${encodeURIComponent(t)}/slices?name=${encodeURIComponent(e)}`);
			this.query.peek().trim() === e && typeof n.count == "number" && (this.all.value = n.count);
		} catch {}
	}
	step(e) {
		let t = this.matches.peek(), n = this.#t(), r = this.query.peek();
		if (!t) return -1;
		(this.#n?.slices !== n || this.#n.query !== r) && (this.#n = {
			slices: n,
			query: r,
			entries: rb(n, t)
		});
		let { entries: i } = this.#n;
		if (i.length === 0) return -1;
		let a = this.at.peek(), o = a < 0 ? e > 0 ? 0 : i.length - 1 : (a + e + i.length) % i.length;
		return this.at.value = o, i[o];
	}
};
// src/views/timeline/strip.ts
function ab(e, t, n) {
	let { data: r } = e, { name: i, rows: a, total: o } = r, s = new Uint32Array(a.length + 1), c = 0;
	for (let e = 0; e < o; e++) t[i[e]] && c++;
	let l = new Uint32Array(c), u = 0;
	a.forEach((e, n) => {
		s[n] = u;
		for (let n = e.from; n < e.to; n++) t[i[n]] && (l[u++] = n);
	}), s[a.length] = u;
	let d = (e) => Float64Array.from(l, (t) => e[t]);
	return {
		lod: new Wu({
			start: d(r.start),
			end: d(r.end),
			busy: d(r.busy)
		}),
		entry: l,
		from: s,
		rest: n
	};
}
var ob = .35, sb = 4, cb = .001, lb = class {
	#e = /* @__PURE__ */ new Map();
	#t = Bu(0);
	#n = 0;
	looked = 0;
	reset() {
		this.#n++, this.#e.clear();
	}
	row(e, t, n, r, i, a, o) {
		let s = this.#e.get(t.key);
		s && s.texels.length === i || (s = {
			texels: new Uint32Array(i),
			entries: new Int32Array(i).fill(-1),
			origin: n,
			size: r,
			generation: -1
		}, this.#e.set(t.key, s)), this.#t.slice.length !== i && (this.#t = Bu(i));
		let c = (n - s.origin) / r, l = Math.round(c);
		if (!(s.generation === this.#n && s.size === r && Math.abs(l) < i && Math.abs(c - l) < cb)) s.origin = n, s.size = r, s.generation = this.#n, this.#r(e, t, s, 0, i, a, o);
		else if (l !== 0) {
			s.origin += l * r;
			for (let e of [s.texels, s.entries]) l > 0 ? e.copyWithin(0, l) : e.copyWithin(-l, 0);
			l > 0 ? this.#r(e, t, s, Math.max(0, i - l - 1), i, a, o) : this.#r(e, t, s, 0, -l, a, o);
		}
		return s;
	}
	#r(e, t, n, r, i, { texel: a }, o) {
		let { texels: s, entries: c, origin: l, size: u } = n, { slice: d, cover: f } = this.#t, { name: p, start: m, end: h } = e.data;
		this.looked += i - r, e.lod.draw(t.from, t.to, l, u, r, i, this.#t);
		let g = 255 * (o ? o.rest : 1), _ = sb * u;
		for (let e = r; e < i; e++) {
			let t = d[e];
			if (c[e] = t, t < 0) {
				s[e] = 0;
				continue;
			}
			let n = g * (ob + .65 * f[e]);
			(e + 1 < i ? d[e + 1] !== t : h[t] <= l + (e + 1) * u) && h[t] - m[t] > _ && (n *= .45), s[e] = a[p[t]] | Math.min(255, n) << 24;
		}
		o && this.#i(t, n, r, i, p, a, o);
	}
	#i(e, t, n, r, i, a, o) {
		let { texels: s, entries: c, origin: l, size: u } = t, { slice: d, cover: f } = this.#t, [p, m] = [o.from[e.index], o.from[e.index + 1]];
		if (p !== m) {
			o.lod.draw(p, m, l, u, n, r, this.#t);
			for (let e = n; e < r; e++) {
				if (d[e] < 0) continue;
				let t = o.entry[d[e]];
				c[e] = t, s[e] = a[i[t]] | Math.min(255, 255 * (.6 + .4 * f[e])) << 24;
			}
		}
	}
}, ub = 120, db = 12, fb = .5;
function pb(e) {
	let { range: t, window: n } = e.data.head, [r, i] = t ?? n;
	return {
		from: r,
		to: i
	};
}
function mb(e) {
	return e.data.head.width ?? 0;
}
function hb(e, t, n) {
	let { from: r, to: i } = pb(e);
	return r <= Math.max(t.from, n.from) && i >= Math.min(t.to, n.to);
}
var gb = class {
	#e;
	#t;
	#n;
	#r = [];
	#i;
	#a;
	#o = 0;
	constructor(e, t, n) {
		this.#e = e, this.#t = t, this.#n = pb(t), this.#i = n;
	}
	best(e) {
		let t = this.#t;
		for (let n of this.#r) hb(n, e, this.#n) && mb(n) < mb(t) && (t = n);
		return t;
	}
	want(e, t) {
		clearTimeout(this.#a);
		let n = (e.to - e.from) / Math.max(1, t);
		!this.#e.live || mb(this.best(e)) <= n || (this.#a = setTimeout(() => void this.#s(e, t), ub));
	}
	async #s(e, t) {
		let n = ++this.#o, r = (e.to - e.from) * fb, i = Math.floor(Math.max(this.#n.from, e.from - r)), a = Math.ceil(Math.min(this.#n.to, e.to + r)), o = Math.ceil(t * (a - i) / (e.to - e.from));
		try {
			let e = await this.#e.part("timeline", {
				start: String(i),
				end: String(a),
				pixels: String(o)
			});
			if (!e) return;
			let t = new Qg(ky(e));
			this.#r.push(t), this.#r.length > db && this.#r.shift(), n <= this.#o && this.#i();
		} catch {}
	}
	stop() {
		clearTimeout(this.#a);
	}
}, _b = .22, vb = .55, yb = 150, bb = 1e5, xb = {
	lines: [],
	lineOf: /* @__PURE__ */ new Map(),
	height: 0
};
function Sb(e) {
	return new Set(G(`timeline.${e}`).split("\n").filter(Boolean));
}
function Cb(e, t) {
	K(`timeline.${e}`, t.size ? [...t].join("\n") : null);
}
var wb = class {
	overall;
	viewport;
	search;
	chosen = B(null);
	area = B(null);
	shown = B(null);
	folded = B(/* @__PURE__ */ new Set());
	strip = new lb();
	windows;
	plot = null;
	map = null;
	scroll = null;
	#e = document.createElement("canvas");
	#t = null;
	#n = {
		pinned: xb,
		scrolling: xb
	};
	#r = null;
	#i = null;
	#a;
	#o = null;
	#s = null;
	#c = null;
	#l = null;
	#u = null;
	#d;
	#f = [];
	redraw = Du(() => this.draw());
	constructor(e, t) {
		this.overall = new Qg(e), this.shown.value = this.overall;
		let [n, r] = e.head.window;
		this.viewport = new Pu({
			from: n,
			to: r
		}, {
			least: 10,
			slack: .05
		}), Lt.peek() && this.viewport.set(...Lt.peek()), this.windows = new gb(t, this.overall, () => this.#h()), this.search = new ib(t, () => this.shown.value), this.#a = Jy(e.head, Nn.peek() === "dark");
	}
	start() {
		let e = at(() => {
			this.#a = Jy(this.shown.value.data.head, Nn.value === "dark"), this.#g();
		}), t = at(() => this.#_()), n = at(() => {
			let { from: e, to: t } = this.viewport.span.value;
			this.#h(), this.windows.want({
				from: e,
				to: t
			}, this.viewport.width * (devicePixelRatio || 1)), clearTimeout(this.#d), this.#d = setTimeout(() => this.#m(), yb), this.redraw();
		}), r = at(() => {
			let e = Lt.value, { from: t, to: n } = this.viewport.span.peek();
			e ? (Math.abs(e[0] - t) > 1 || Math.abs(e[1] - n) > 1) && this.viewport.set(...e) : (!this.viewport.isWhole && this.#p && this.viewport.fit(), this.#p = !1);
		}), i = at(() => {
			this.chosen.value, this.area.value, this.search.query.value, this.redraw();
		}), a = at(() => this.#v());
		this.#f.push(e, t, n, r, i, a), this.#y();
	}
	stop() {
		for (let e of this.#f.splice(0)) e();
		clearTimeout(this.#d), this.windows.stop(), this.redraw.cancel();
	}
	#p = !1;
	#m() {
		let { from: e, to: t } = this.viewport.span.peek();
		if (this.viewport.isWhole) {
			this.#p && (Lt.value = null), this.#p = !1;
			return;
		}
		let n = Lt.peek();
		n && Math.abs(n[0] - e) <= 1 && Math.abs(n[1] - t) <= 1 || (this.#p = !0, Lt.value = [Math.round(e), Math.round(t)]);
	}
	#h() {
		let e = this.windows.best(this.viewport.span.peek());
		e !== this.shown.peek() && (this.#c = null, this.#a = Jy(e.data.head, Nn.peek() === "dark"), this.shown.value = e, this.#g());
	}
	#g() {
		this.strip.reset(), this.#o = null, this.redraw();
	}
	#_() {
		let e = this.shown.value, { names: t } = e.data.head, n = this.search.matches.value, r = It.value, i = null;
		n ? i = Uint8Array.from(t, (e) => +!!n(e)) : r.size && (i = Uint8Array.from(t, (e) => +!!r.has(e))), !n && i && !i.includes(1) && (i = null), this.#i = i, this.#r = i && ab(e, i, n ? _b : vb), this.strip.reset(), this.redraw();
	}
	#v() {
		let e = {
			folded: this.folded.value,
			hidden: Sb("hidden"),
			pinned: Sb("pinned"),
			filter: G("timeline.tracks"),
			rank: Rt.value
		}, { ranks: t } = this.overall.data;
		this.#n = {
			pinned: Xg(t, e),
			scrolling: Yg(t, e)
		};
		let n = this.scroll?.firstElementChild;
		n instanceof HTMLElement && (n.style.height = `${30 + this.#n.pinned.height + this.#n.scrolling.height}px`), this.redraw();
	}
	foldToFit(e) {
		if (30 + this.#n.scrolling.height <= e) return;
		let t = this.overall.data.ranks.flatMap(({ tracks: e }) => e.filter((e) => e.rows.length > 10));
		this.folded.value = new Set(t.map((e) => e.key));
	}
	#y() {
		let e = () => {
			this.#s = Xy(this.overall), this.#o = null, this.redraw();
		};
		this.overall.data.total <= bb ? e() : setTimeout(e, 50);
	}
	#b() {
		let e = G("timeline.align");
		if (e === "") return /* @__PURE__ */ new Map();
		let t = /* @__PURE__ */ new Map(), n;
		for (let { rank: r, steps: i } of this.overall.data.ranks) {
			let a = i.find(([t]) => String(t) === e);
			a && (n ??= a[1], t.set(r, a[1] - n));
		}
		return t;
	}
	scene() {
		let { plot: e, scroll: t } = this;
		if (!e || !t) return null;
		let n = Eu(e, t.clientWidth, t.clientHeight);
		if (!n) return null;
		let r = n.width < 700 ? 112 : 208;
		return this.viewport.width = Math.max(1, n.width - r), {
			...n,
			dark: Nn.peek() === "dark",
			theme: wu($g),
			colours: this.#a,
			viewport: this.viewport,
			slices: this.shown.peek(),
			strip: this.strip,
			lit: this.#r,
			wanted: this.#i,
			margin: r,
			top: t.scrollTop,
			offsets: this.#b(),
			...this.#n
		};
	}
	draw() {
		let e = this.#t = this.scene();
		e && (m_(e, this.#e, this.folded.peek()), E_(e), O_(e, () => this.#x(e)), T_(e), this.#l && this.#l.x >= e.margin && M_(e, this.#l.x, V(this.viewport.toAxis(this.#l.x - e.margin))), this.#S(e));
	}
	#x(e) {
		let t = this.area.peek();
		t && j_(e, t);
		let n = this.chosenEntry(), r = this.#c?.slices === e.slices ? this.#c.entry : -1;
		r >= 0 && A_(e, r, 1), n >= 0 && A_(e, n, 2), G("timeline.arrows") !== "off" && (k_(e, this.arrowsOfChosen()), r >= 0 && r !== n && k_(e, e.slices.arrows(r, !1)));
	}
	#S(e) {
		let t = this.map && Eu(this.map, e.width, 52);
		if (!t) return;
		let n = e.width - e.margin;
		this.#o && this.#o.width === Math.round(n * t.ratio) || (this.#o = Qy(this.overall, Jy(this.overall.data.head, e.dark), this.#s, n, t.ratio, this.viewport.whole));
		let r = this.overall.data.ranks[0]?.steps ?? [];
		$y(t, this.#o, this.viewport, this.#s, e.theme, e.dark, e.margin, r, Rt.peek());
	}
	chosenEntry() {
		let e = this.chosen.peek();
		return e ? this.shown.peek().find(e.key, e.start, e.name) : -1;
	}
	arrowsOfChosen() {
		let e = this.chosenEntry(), t = this.shown.peek(), n = G("timeline.arrows") !== "direct";
		return this.#u && this.#u.of === e && this.#u.slices === t && this.#u.deep === n || (this.#u = {
			of: e,
			slices: t,
			deep: n,
			arrows: t.arrows(e, n)
		}), this.#u.arrows;
	}
	choose(e, t = !1) {
		let n = this.shown.peek();
		Le(() => {
			if (e < 0) {
				this.chosen.value = null, Bt([]);
				return;
			}
			let t = n.rowOf(e);
			this.chosen.value = {
				key: t.key,
				start: n.data.start[e],
				name: n.nameOf(e)
			}, !It.peek().has(n.nameOf(e)) && !this.search.matches.peek() && Bt([n.nameOf(e)]);
		}), t && this.reveal(e);
	}
	reveal(e) {
		let t = this.shown.peek(), { start: n, end: r } = t.data, i = t.rowOf(e), { track: a } = i, o = Sb("hidden");
		o.delete(a.key) && Cb("hidden", o), this.folded.peek().has(a.key) && !this.#n.scrolling.lineOf.has(i.key) && !this.#n.pinned.lineOf.has(i.key) && this.fold(a.key);
		let s = this.#b().get(a.rank) ?? 0, [c, l] = [n[e] - s, r[e] - s], { viewport: u } = this;
		(c > u.to || l < u.from) && u.set((c + l - u.length) / 2, (c + l + u.length) / 2);
		let d = this.#n.scrolling.lineOf.get(i.key);
		d && this.scroll && this.#C(d, this.scroll);
	}
	#C(e, t) {
		let n = t.clientHeight - 30 - this.#n.pinned.height;
		(e.y < t.scrollTop || e.y + e.size > t.scrollTop + n) && (t.scrollTop = e.y - n / 2);
	}
	resized() {
		this.redraw();
		let e = this.chosen.peek(), t = e && this.#n.scrolling.lineOf.get(e.key);
		if (!t || !this.scroll) return;
		let n = t.y + t.size - (this.scroll.clientHeight - 30 - this.#n.pinned.height);
		n > this.scroll.scrollTop && (this.scroll.scrollTop = n + t.size);
	}
	fold(e) {
		let t = new Set(this.folded.peek());
		t.delete(e) || t.add(e), this.folded.value = t;
	}
	neighbour(e) {
		let t = this.chosenEntry();
		if (t < 0) return;
		let n = this.shown.peek().rowOf(t), r = t + e;
		r >= n.from && r < n.to && this.choose(r, !0);
	}
	focus() {
		let e = this.chosenEntry(), { data: t } = this.shown.peek(), n = this.area.peek();
		if (e >= 0) {
			let n = this.#b().get(this.shown.peek().rowOf(e).track.rank) ?? 0;
			this.viewport.focus({
				from: t.start[e] - n,
				to: t.end[e] - n
			});
		} else n ? this.viewport.focus(n, .05) : this.viewport.fit();
	}
	point(e) {
		this.#l = e;
		let t = this.#t, n = e && t ? s_(t, e.x, e.y) : void 0;
		return this.#c = n && t ? {
			entry: n.entry,
			slices: t.slices
		} : null, this.redraw(), n;
	}
	get pointerX() {
		let e = this.#t;
		return this.#l && e && this.#l.x >= e.margin ? this.#l.x - e.margin : void 0;
	}
	get drawn() {
		return this.#t;
	}
	heightOf(e) {
		return this.#t ? i_(this.#t, e) : void 0;
	}
	get scrollStart() {
		return this.#t ? r_(this.#t) : 30;
	}
};
// src/views/timeline/tracks.tsx
function Tb(e, t) {
	let n = Sb(e);
	n.delete(t) || n.add(t), Cb(e, n);
}
function Eb({ timeline: e }) {
	let [t, n] = F(!1), r = R(null);
	L(() => {
		if (!t) return;
		r.current?.querySelector("input")?.focus();
		let e = (e) => {
			r.current?.contains(e.target) || n(!1);
		};
		return addEventListener("pointerdown", e, !0), () => removeEventListener("pointerdown", e, !0);
	}, [t]);
	let { ranks: i } = e.overall.data, a = i.flatMap((e) => e.tracks), o = i.length > 1, s = G("timeline.tracks"), [c, l] = [Sb("pinned"), Sb("hidden")], u = a.filter((e) => Kg(qg(e, o), s));
	return /* @__PURE__ */ q("div", {
		class: "menu",
		ref: r,
		children: [/* @__PURE__ */ q("button", {
			type: "button",
			class: "button",
			"aria-expanded": t,
			"aria-haspopup": "dialog",
			onClick: () => n(!t),
			children: ["Tracks", l.size + c.size > 0 || s !== "" ? ` ${u.filter((e) => !l.has(e.key)).length}/${a.length}` : ""]
		}), t ? /* @__PURE__ */ q("div", {
			class: "tracks",
			role: "dialog",
			"aria-label": "Tracks",
			onKeyDown: (e) => {
				e.key === "Escape" && (e.stopPropagation(), n(!1));
			},
			children: [
				/* @__PURE__ */ q("input", {
					type: "search",
					placeholder: "Filter tracks",
					"aria-label": "Filter tracks: letters in their order",
					value: s,
					onInput: (e) => K("timeline.tracks", e.currentTarget.value || null)
				}),
				/* @__PURE__ */ q("ul", { children: u.slice(0, 200).map((e) => /* @__PURE__ */ q("li", { children: [/* @__PURE__ */ q("label", { children: [/* @__PURE__ */ q("input", {
					type: "checkbox",
					checked: !l.has(e.key),
					onChange: () => Tb("hidden", e.key)
				}), /* @__PURE__ */ q("span", { children: qg(e, o) })] }), /* @__PURE__ */ q("button", {
					type: "button",
					class: "quiet-button",
					"aria-pressed": c.has(e.key),
					onClick: () => Tb("pinned", e.key),
					children: c.has(e.key) ? "Unpin" : "Pin"
				})] }, e.key)) }),
				u.length > 200 ? /* @__PURE__ */ q("p", {
					class: "quiet",
					children: [u.length - 200, " more; type to find them"]
				}) : null,
				/* @__PURE__ */ q("footer", { children: [
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "link",
						onClick: () => e.folded.value = new Set(a.map((e) => e.key)),
						children: "Fold all"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "link",
						onClick: () => e.folded.value = /* @__PURE__ */ new Set(),
						children: "Unfold all"
					}),
					/* @__PURE__ */ q("button", {
						type: "button",
						class: "link",
						onClick: () => {
							Cb("hidden", /* @__PURE__ */ new Set()), Cb("pinned", /* @__PURE__ */ new Set()), K("timeline.tracks", null);
						},
						children: "Show all"
					})
				] })
			]
		}) : null]
	});
}
// src/views/timeline/index.tsx
var Db = "This report holds no slices. `eaves open FILE` shows those of the recording.", Ob = /* @__PURE__ */ new WeakMap();
function kb(e) {
	let t = Ob.get(e);
	return t || (t = e.part("timeline").then((e) => e ? ky(e) : null), Ob.set(e, t)), t;
}
function Ab(e) {
	let [t, n] = F({});
	return L(() => {
		let t = !0;
		return kb(e.source).then((e) => t && n({ data: e }), (e) => t && n({ problem: e instanceof Error ? e.message : String(e) })), () => {
			t = !1;
		};
	}, [e.source]), t.problem ? /* @__PURE__ */ q(tr, { children: ["The timeline cannot be shown: ", t.problem] }) : t.data === void 0 ? /* @__PURE__ */ q(tr, { children: "Reading the timeline ..." }) : t.data === null || t.data.total === 0 ? /* @__PURE__ */ q(tr, { children: /* @__PURE__ */ q(nr, { text: Db }) }) : /* @__PURE__ */ q(Nb, {
		...e,
		data: t.data
	});
}
function jb(e, t) {
	let n = "Timeline", r = (t) => Fu(e.viewport, t.key, e.pointerX) ? void 0 : !1, i = (t) => {
		e.scroll && (e.scroll.scrollTop += t);
	};
	return [
		{
			keys: [
				"w",
				"s",
				"W",
				"S"
			],
			does: "Zoom in, out at the pointer (wheel)",
			group: n,
			run: r
		},
		{
			keys: [
				"a",
				"d",
				"A",
				"D",
				"ArrowLeft",
				"ArrowRight"
			],
			does: "Move (drag, shift and wheel)",
			group: n,
			run: r
		},
		{
			keys: ["ArrowUp"],
			does: "Scroll up",
			group: n,
			run: () => i(-60)
		},
		{
			keys: ["ArrowDown"],
			does: "Scroll down",
			group: n,
			run: () => i(60)
		},
		{
			keys: ["f", "F"],
			does: "Show the chosen slice or area, or everything",
			group: n,
			run: () => e.focus()
		},
		{
			keys: [","],
			does: "Slice before",
			group: n,
			run: () => e.neighbour(-1)
		},
		{
			keys: ["."],
			does: "Slice after",
			group: n,
			run: () => e.neighbour(1)
		},
		{
			keys: ["u"],
			does: "Back to the window before",
			group: n,
			run: r
		},
		{
			keys: ["0"],
			does: "Show everything",
			group: n,
			run: r
		},
		{
			keys: ["/"],
			does: "Search slices",
			group: n,
			run: t
		},
		{
			keys: ["n"],
			does: "Next match of the search",
			group: n,
			run: () => Mb(e, 1)
		},
		{
			keys: ["N"],
			does: "Match before",
			group: n,
			run: () => Mb(e, -1)
		},
		{
			keys: ["Escape"],
			does: "Let the area, slice or search go",
			group: n,
			run: () => {
				if (e.area.peek()) e.area.value = null;
				else if (e.chosen.peek()) e.choose(-1);
				else if (e.search.query.peek()) e.search.ask("");
				else return !1;
			}
		},
		{
			keys: ["Shift+drag"],
			does: "Choose an area; on the axis, a time",
			group: n,
			listed: !0,
			run: () => !1
		}
	];
}
function Mb(e, t) {
	let n = e.search.step(t);
	n >= 0 && e.choose(n, !0);
}
function Nb({ source: e, document: t, data: n }) {
	let r = z(() => new wb(n, e), [n, e]), i = R(null), a = R(null), o = R(null), s = Ou(() => r.resized());
	return L(() => {
		r.plot = i.current, r.map = a.current, r.scroll = s.current, r.start(), r.foldToFit(s.current?.clientHeight ?? 0);
		let e = i.current ? Uy(r, i.current, {
			hover: (e) => Pb(r, e),
			leave: () => (Xt(), void r.point(null))
		}) : void 0, t = a.current ? Gy(r, a.current) : void 0;
		return () => {
			e?.(), t?.(), r.stop(), Xt();
		};
	}, [r]), pn(() => jb(r, () => o.current?.focus()), [r]), /* @__PURE__ */ q("section", {
		class: "timeline fill",
		"aria-label": "Timeline",
		children: [
			/* @__PURE__ */ q(Fb, {
				timeline: r,
				field: o,
				exports: {
					name: "timeline",
					canvas: () => i.current,
					command: Kn(t, "timeline", "-o timeline.html")
				}
			}),
			/* @__PURE__ */ q("canvas", {
				ref: a,
				class: "overview-strip",
				role: "img",
				"aria-label": "The whole time: hosts above, devices below; drag to choose a window"
			}),
			/* @__PURE__ */ q("div", {
				ref: s,
				class: "timeline-scroll",
				onScroll: () => r.redraw(),
				children: /* @__PURE__ */ q("div", {
					class: "tall",
					children: /* @__PURE__ */ q("canvas", {
						ref: i,
						tabIndex: 0,
						role: "application",
						"aria-label": "Slices over time; W, A, S, D move, click chooses"
					})
				})
			}),
			/* @__PURE__ */ q(Vy, { timeline: r }),
			/* @__PURE__ */ q(Lb, { timeline: r })
		]
	});
}
function Pb(e, t) {
	let n = e.point({
		x: t.offsetX,
		y: t.offsetY
	}), r = e.drawn;
	if (!r) return;
	if (!n) {
		let e = a_(r, t.offsetY), n = e?.kind === "counter" && t.offsetX >= r.margin ? x_(e.counter, n_(r, t.offsetX, e.rank)) : void 0;
		n && e?.kind === "counter" ? Yt(t, /* @__PURE__ */ q($t, {
			title: e.counter.name,
			lines: [["Value", b_(n[1], e.counter.bytes)], ["Since", V(n[0])]]
		})) : e?.kind === "row" && t.offsetX < r.margin && e.label ? Yt(t, /* @__PURE__ */ q($t, {
			title: e.track.name,
			lines: [["Of", e.track.group]]
		})) : Xt();
		return;
	}
	let { slices: i } = r, a = Fy(i, n.entry), o = i.data.launch[n.entry], s = i.operator(o >= 0 ? o : n.entry);
	s >= 0 && a.push(["Operator", i.nameOf(s)]), Yt(t, /* @__PURE__ */ q($t, {
		title: i.nameOf(n.entry),
		lines: a
	}));
}
function Fb({ timeline: e, field: t, exports: n }) {
	let { ranks: r } = e.overall.data, i = [...new Set(r.flatMap((e) => e.steps.map(([e]) => e)))].sort((e, t) => e - t);
	return /* @__PURE__ */ q("div", {
		class: "timeline-tools",
		role: "toolbar",
		"aria-label": "Timeline",
		children: [
			/* @__PURE__ */ q("input", {
				ref: t,
				type: "search",
				placeholder: "Search slices ( / )",
				"aria-label": "Search slices; Enter shows the next",
				value: e.search.query.value,
				onInput: (t) => e.search.ask(t.currentTarget.value),
				onKeyDown: (n) => {
					if (n.key === "Enter") Mb(e, n.shiftKey ? -1 : 1);
					else if (n.key === "Escape") e.search.ask(""), t.current?.blur();
					else return;
					n.preventDefault(), n.stopPropagation();
				}
			}),
			/* @__PURE__ */ q(Ib, { timeline: e }),
			/* @__PURE__ */ q("span", { class: "grow" }),
			/* @__PURE__ */ q("label", { children: ["Arrows", /* @__PURE__ */ q("select", {
				value: G("timeline.arrows", "all"),
				onChange: (e) => K("timeline.arrows", e.currentTarget.value === "all" ? null : e.currentTarget.value),
				children: [
					/* @__PURE__ */ q("option", {
						value: "all",
						children: "all launches"
					}),
					/* @__PURE__ */ q("option", {
						value: "direct",
						children: "direct only"
					}),
					/* @__PURE__ */ q("option", {
						value: "off",
						children: "none"
					})
				]
			})] }),
			r.length > 1 && i.length > 0 ? /* @__PURE__ */ q("label", { children: ["Align", /* @__PURE__ */ q("select", {
				value: G("timeline.align"),
				onChange: (e) => K("timeline.align", e.currentTarget.value || null),
				children: [/* @__PURE__ */ q("option", {
					value: "",
					children: "by clock"
				}), i.map((e) => /* @__PURE__ */ q("option", {
					value: String(e),
					children: ["step ", e]
				}, e))]
			})] }) : null,
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				"aria-pressed": G("timeline.drag") === "area",
				title: "Drag chooses an area instead of moving (or hold Shift)",
				onClick: () => K("timeline.drag", G("timeline.drag") === "area" ? null : "area"),
				children: "Area"
			}),
			/* @__PURE__ */ q(Eb, { timeline: e }),
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				title: "Show everything (0)",
				onClick: () => e.viewport.fit(),
				children: "Fit"
			}),
			/* @__PURE__ */ q(er, { exports: n })
		]
	});
}
function Ib({ timeline: e }) {
	let t = e.search.found.value;
	if (!t) return null;
	let n = e.search.at.value, r = e.search.all.value, i = t.atLeast && r === null ? "at least " : "";
	return /* @__PURE__ */ q("span", {
		class: "found",
		role: "status",
		children: [
			i,
			bt(r ?? t.count),
			" found",
			n >= 0 ? `, ${bt(n + 1)} shown` : "",
			", ",
			i,
			V(t.sum),
			" in sum",
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Match before",
				disabled: !t.entries,
				onClick: () => Mb(e, -1),
				children: "‹"
			}),
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Next match",
				disabled: !t.entries,
				onClick: () => Mb(e, 1),
				children: "›"
			})
		]
	});
}
function Lb({ timeline: e }) {
	let { head: t } = e.overall.data, n = new Set(t.class), r = Nn.value === "dark";
	return /* @__PURE__ */ q("footer", {
		class: "timeline-legend",
		children: [/* @__PURE__ */ q("ul", {
			"aria-label": "Colours",
			children: t.classes.map(([e, t, i], a) => n.has(a) ? /* @__PURE__ */ q("li", { children: [/* @__PURE__ */ q("i", { style: { background: r ? i : t } }), e] }, e) : null)
		}), /* @__PURE__ */ q("p", { children: e.shown.value.data.head.notes.join("; ") })]
	});
}
// src/views/index.ts
var Rb = [
	Ev,
	Sy,
	{
		id: "timeline",
		title: "Timeline",
		missing: ({ source: e }) => e.has?.("timeline") === !1 ? Db : void 0,
		Component: Ab
	},
	Pd,
	Bd,
	ov,
	Xl,
	uu,
	ou,
	Cu,
	yo,
	wy
], zb = 2e4;
function Bb(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e.sections) for (let e of n.tables) {
		let r = yn(e);
		if (!(r < 0)) for (let i of e.rows) {
			let e = i[r];
			if (typeof e == "string" && !t.has(e) && t.set(e, n.title), t.size >= zb) return t;
		}
	}
	return t;
}
function Vb(e) {
	let t = /* @__PURE__ */ new Set();
	for (let n of e.inputs) typeof n.rank == "number" && t.add(n.rank);
	return [...t].sort((e, t) => e - t);
}
function Hb({ document: e }) {
	let t = Rb.map((e) => ({
		title: e.title,
		hint: "view",
		run: () => void (Ft.value = e.id)
	}));
	for (let e of dn.value) e.listed || e.group === "Views" || e.keys.length === 0 || t.push({
		title: e.does,
		hint: e.keys.join(" "),
		run: () => void e.run(new KeyboardEvent("keydown", { key: e.keys[0] ?? "" }))
	});
	for (let e of [
		"auto",
		"light",
		"dark"
	]) t.push({
		title: `Theme: ${e}`,
		hint: "page",
		run: () => In(e)
	});
	let n = Vb(e);
	if (n.length > 1) {
		t.push({
			title: "All ranks",
			hint: "rank",
			run: () => void (Rt.value = null)
		});
		for (let e of n) t.push({
			title: `Rank ${e}`,
			hint: "rank",
			run: () => void (Rt.value = e)
		});
	}
	for (let n of e.sections) {
		t.push({
			title: n.title,
			hint: "section",
			run: () => un(n.id)
		});
		for (let e of n.tables) t.push({
			title: e.title ?? e.id,
			hint: `table of ${n.id}`,
			run: () => un(n.id, e.id)
		});
	}
	for (let [n, r] of Bb(e)) t.push({
		title: n,
		hint: r,
		run: () => Bt([n])
	});
	return t;
}
// src/kit/help.tsx
var Ub = B(!1);
function Wb() {
	Ub.value = !0;
}
function Gb() {
	let e = Ub.value;
	return Ub.value = !1, e;
}
var Kb = {
	ArrowUp: "↑",
	ArrowDown: "↓",
	ArrowLeft: "←",
	ArrowRight: "→",
	Escape: "Esc"
};
function qb(e) {
	return e.split("+").map((e) => Kb[e] ?? e).join(" ") || e;
}
function Jb() {
	return Ub.value ? /* @__PURE__ */ q(Yb, {}) : null;
}
function Yb() {
	let e = R(null);
	L(() => {
		let t = document.activeElement;
		return e.current?.focus(), () => {
			t instanceof HTMLElement && t.focus();
		};
	}, []);
	let t = /* @__PURE__ */ new Map();
	for (let e of dn.value) t.set(e.group, [...t.get(e.group) ?? [], e]);
	return /* @__PURE__ */ q("div", {
		class: "overlay",
		onPointerDown: (e) => e.target === e.currentTarget && Gb(),
		children: /* @__PURE__ */ q("div", {
			class: "dialog",
			role: "dialog",
			"aria-modal": "true",
			"aria-labelledby": "help-title",
			children: [/* @__PURE__ */ q("header", { children: [/* @__PURE__ */ q("h2", {
				id: "help-title",
				children: "Keys"
			}), /* @__PURE__ */ q("button", {
				type: "button",
				class: "icon",
				"aria-label": "Close",
				ref: e,
				onClick: () => Gb(),
				children: "×"
			})] }), /* @__PURE__ */ q("div", {
				class: "inside help",
				tabIndex: 0,
				role: "group",
				"aria-labelledby": "help-title",
				children: [...t].map(([e, t]) => /* @__PURE__ */ q("section", { children: [/* @__PURE__ */ q("h3", { children: e }), /* @__PURE__ */ q("dl", { children: t.map((e) => /* @__PURE__ */ q("div", { children: [/* @__PURE__ */ q("dt", { children: e.does }), /* @__PURE__ */ q("dd", { children: e.keys.map((e) => /* @__PURE__ */ q("kbd", { children: qb(e) }, e)) })] }, e.does)) })] }, e))
			})]
		})
	});
}
// src/kit/palette.tsx
var Xb = B([]), Zb = B(null);
function Qb(e = "") {
	Zb.value = e;
}
function $b() {
	return Zb.value !== null && (Zb.value = null, !0);
}
function ex(e, t) {
	let n = e.toLowerCase(), r = t.toLowerCase().trim();
	if (!r) return 1;
	let i = n.indexOf(r);
	if (i >= 0) return 1e3 - Math.min(i, 400) + (i === 0 || /\W/.test(n[i - 1] ?? "") ? 500 : 0);
	let a = -1, o = 0;
	for (let e of r.replaceAll(" ", "")) {
		let t = n.indexOf(e, a + 1);
		if (t < 0) return 0;
		a >= 0 && (o += t - a - 1), a = t;
	}
	return o > r.length * 4 ? 0 : Math.max(1, 500 - o * 10);
}
var tx = 60;
function nx({ commands: e }) {
	return Zb.value === null ? null : /* @__PURE__ */ q(rx, {
		text: Zb.value,
		commands: e
	});
}
function rx({ text: e, commands: t }) {
	let [n, r] = F(e), [i, a] = F(0), o = R(null), s = R(null), c = z(() => [...Xb.value, ...t()], []), l = z(() => c.map((e, t) => ({
		command: e,
		at: t,
		score: ex(e.title, n)
	})).filter((e) => e.score > 0).sort((e, t) => t.score - e.score || e.at - t.at).slice(0, tx), [c, n]);
	L(() => {
		let e = document.activeElement;
		return o.current?.focus(), o.current?.select(), () => {
			e instanceof HTMLElement && e.focus();
		};
	}, []), L(() => s.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [i, l]);
	let u = (e) => {
		$b();
		let t = l[e]?.command;
		t && setTimeout(() => t.run());
	};
	return /* @__PURE__ */ q("div", {
		class: "overlay",
		onPointerDown: (e) => e.target === e.currentTarget && $b(),
		children: /* @__PURE__ */ q("div", {
			class: "dialog palette",
			role: "dialog",
			"aria-modal": "true",
			"aria-label": "Commands",
			children: [
				/* @__PURE__ */ q("input", {
					ref: o,
					type: "text",
					role: "combobox",
					"aria-expanded": "true",
					"aria-controls": "palette-list",
					"aria-activedescendant": l.length ? `palette-${i}` : void 0,
					"aria-label": "Command, view, table or name",
					placeholder: "Command, view, table or name",
					value: n,
					onInput: (e) => {
						r(e.currentTarget.value), a(0);
					},
					onKeyDown: (e) => {
						if (e.key === "ArrowDown") a(Math.min(i + 1, l.length - 1));
						else if (e.key === "ArrowUp") a(Math.max(i - 1, 0));
						else if (e.key === "Enter") u(i);
						else if (e.key === "Escape") $b();
						else if (e.key !== "Tab") return;
						e.preventDefault(), e.stopPropagation();
					}
				}),
				/* @__PURE__ */ q("ul", {
					role: "listbox",
					id: "palette-list",
					"aria-label": "Found",
					ref: s,
					children: l.map(({ command: e, at: t }, n) => /* @__PURE__ */ q("li", {
						id: `palette-${n}`,
						role: "option",
						"aria-selected": n === i,
						onPointerMove: () => a(n),
						onClick: () => u(n),
						children: [/* @__PURE__ */ q("span", { children: e.title }), /* @__PURE__ */ q("span", {
							class: "quiet",
							children: e.hint
						})]
					}, t))
				}),
				l.length === 0 ? /* @__PURE__ */ q("p", {
					class: "empty",
					children: "Nothing is called that."
				}) : null
			]
		})
	});
}
// src/source/http.ts
function ix() {
	return new URLSearchParams(location.search).get("run") ?? "latest";
}
function ax() {
	let e = new URLSearchParams(location.search).get("token");
	return e ? { authorization: `Bearer ${e}` } : {};
}
async function ox(e, t = {}) {
	let n = await fetch(e, {
		...t,
		headers: {
			...ax(),
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
function sx() {
	return {
		live: !0,
		async document() {
			return await (await ox(`/api/v1/runs/${ix()}/document`)).json();
		},
		async part(e, t = {}) {
			let n = new URLSearchParams(t).toString();
			return (await ox(`/api/v1/runs/${ix()}/${e}${n ? `?${n}` : ""}`)).arrayBuffer();
		},
		async ask(e, t, n = t === void 0 ? "GET" : "POST") {
			let r = { method: n };
			return t !== void 0 && (r.body = JSON.stringify(t), r.headers = { "content-type": "application/json" }), await (await ox(`/api/v1/${e}`, r)).json();
		},
		listen(e, t) {
			let n = new URLSearchParams(location.search).get("token"), r = new EventSource(`/api/v1/${e}${n ? `?token=${encodeURIComponent(n)}` : ""}`);
			r.onmessage = (e) => t(JSON.parse(e.data));
			let i = !1;
			return r.onerror = () => i = !0, r.onopen = () => {
				i && t({
					kind: "run",
					data: null
				}), i = !1;
			}, () => r.close();
		}
	};
}
// src/frame.tsx
function cx(e) {
	return e.split(/[\\/]/).findLast(Boolean) ?? e;
}
function lx(e) {
	let t = e.inputs.map((e) => e.path);
	if (t.length === 0) return "eaves";
	if (t.length === 1) return cx(t[0] ?? "");
	let n = new Set(t.map((e) => e.split(/[\\/]/).slice(0, -1).join("/"))), [r] = n;
	return n.size === 1 && r ? cx(r) : `${cx(t[0] ?? "")} and ${t.length - 1} more`;
}
function ux(e) {
	let { inputs: t } = e;
	if (t.length === 0) return "";
	let n = t.reduce((e, t) => e + (t.events ?? 0), 0), r = Vb(e), i = [...new Set(t.map((e) => e.format))].join(", "), a = [
		Ot(t.length, "input"),
		Ot(n, "event"),
		i
	];
	return r.length > 1 && a.splice(1, 0, `ranks ${kt(r)}`), a.join(" · ");
}
function dx(e) {
	let { document: t, open: n } = e, r = Vb(t), i = t.warnings.filter((e) => !e.harmless).reduce((e, t) => e + t.count, 0);
	return /* @__PURE__ */ q("header", {
		class: "top",
		children: [
			/* @__PURE__ */ q("div", {
				class: "title-row",
				children: [
					/* @__PURE__ */ q("h1", {
						title: t.inputs.map((e) => e.path).join("\n"),
						children: [
							/* @__PURE__ */ q("span", {
								class: "brand",
								children: [/* @__PURE__ */ q("svg", {
									width: "17",
									height: "17",
									viewBox: "0 0 16 16",
									"aria-hidden": "true",
									children: /* @__PURE__ */ q("path", {
										d: "M1 10.5 6.5 4H15M1 14h14",
										fill: "none",
										stroke: "currentColor",
										"stroke-width": "2",
										"stroke-linecap": "round",
										"stroke-linejoin": "round"
									})
								}), "eaves"]
							}),
							/* @__PURE__ */ q("span", {
								class: "unseen",
								children: ": "
							}),
							" ",
							lx(t)
						]
					}),
					/* @__PURE__ */ q("span", {
						class: "facts",
						children: ux(t)
					}),
					/* @__PURE__ */ q("div", {
						class: "frame-tools",
						children: [
							i > 0 ? /* @__PURE__ */ q("button", {
								type: "button",
								class: "badge",
								onClick: () => Ft.value = "overview",
								title: t.warnings.map((e) => e.message).join("\n"),
								children: ["! ", Ot(i, "warning")]
							}) : null,
							e.source.live ? /* @__PURE__ */ q(fx, { ...e }) : null,
							/* @__PURE__ */ q(mx, { document: t }),
							r.length > 1 ? /* @__PURE__ */ q("label", { children: ["Rank", /* @__PURE__ */ q("select", {
								"aria-label": "Rank",
								value: Rt.value === null ? "" : String(Rt.value),
								onChange: (e) => Rt.value = e.currentTarget.value === "" ? null : Number(e.currentTarget.value),
								children: [/* @__PURE__ */ q("option", {
									value: "",
									children: "all"
								}), r.map((e) => /* @__PURE__ */ q("option", {
									value: e,
									children: e
								}, e))]
							})] }) : null,
							/* @__PURE__ */ q("select", {
								"aria-label": "Theme",
								value: Mn.value,
								onChange: (e) => In(e.currentTarget.value),
								children: [
									/* @__PURE__ */ q("option", {
										value: "auto",
										children: "Auto"
									}),
									/* @__PURE__ */ q("option", {
										value: "light",
										children: "Light"
									}),
									/* @__PURE__ */ q("option", {
										value: "dark",
										children: "Dark"
									})
								]
							}),
							/* @__PURE__ */ q("button", {
								type: "button",
								class: "button",
								onClick: () => Qb(),
								title: "Commands (Ctrl K)",
								children: ["⌘", /* @__PURE__ */ q("span", {
									class: "unseen",
									children: "Commands"
								})]
							}),
							/* @__PURE__ */ q("button", {
								type: "button",
								class: "button",
								onClick: Wb,
								title: "Keys (?)",
								children: ["?", /* @__PURE__ */ q("span", {
									class: "unseen",
									children: " Keys"
								})]
							})
						]
					})
				]
			}),
			/* @__PURE__ */ q(px, {
				...e,
				open: n
			}),
			/* @__PURE__ */ q(gx, {})
		]
	});
}
function fx({ source: e, document: t }) {
	L(() => void eu(e).catch(() => {}), [e, t]);
	let n = $l.value;
	if (n.length < 2) return null;
	let r = ix();
	return /* @__PURE__ */ q("label", { children: ["Run", /* @__PURE__ */ q("select", {
		class: "run",
		"aria-label": "Run",
		value: r === "latest" ? n.at(-1)?.id : r,
		onChange: (e) => tu(e.currentTarget.value),
		children: n.map((e) => /* @__PURE__ */ q("option", {
			value: e.id,
			children: e.title
		}, e.id))
	})] });
}
function px(e) {
	let { open: t } = e;
	return /* @__PURE__ */ q("div", {
		class: "tabs",
		role: "tablist",
		"aria-label": "Views",
		onKeyDown: (e) => {
			let n = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
			if (!n) return;
			let r = Rb[(Rb.indexOf(t) + n + Rb.length) % Rb.length];
			r && (Ft.value = r.id, e.preventDefault(), e.stopPropagation(), requestAnimationFrame(() => document.getElementById(`tab-${r.id}`)?.focus()));
		},
		children: Rb.map((n) => {
			let r = n === t, i = n.missing?.(e) !== void 0;
			return /* @__PURE__ */ q("button", {
				type: "button",
				role: "tab",
				id: `tab-${n.id}`,
				"aria-selected": r,
				"aria-controls": r ? "panel" : void 0,
				tabIndex: r ? 0 : -1,
				class: i ? "nothing" : void 0,
				title: i ? "Nothing recorded for this view; open it to see why" : void 0,
				onClick: () => Ft.value = n.id,
				children: n.title
			}, n.id);
		})
	});
}
function mx({ document: e }) {
	let [t, n] = F(""), r = z(() => [...Bb(e).keys()], [e]), i = z(() => t.length < 2 ? [] : r.map((e) => ({
		name: e,
		score: ex(e, t)
	})).filter((e) => e.score > 0).sort((e, t) => t.score - e.score || e.name.length - t.name.length).slice(0, 200), [r, t]);
	return /* @__PURE__ */ q("form", {
		role: "search",
		onSubmit: (e) => {
			e.preventDefault();
			let n = i.filter((e) => e.name.toLowerCase().includes(t.toLowerCase()));
			Bt((n.length ? n : i.slice(0, 1)).map((e) => e.name));
		},
		children: [/* @__PURE__ */ q("input", {
			id: "search",
			class: "search",
			type: "search",
			placeholder: "Search names ( / )",
			"aria-label": "Search names; Enter selects all that match",
			list: "search-names",
			value: t,
			onInput: (e) => n(e.currentTarget.value)
		}), /* @__PURE__ */ q("datalist", {
			id: "search-names",
			children: i.slice(0, 12).map((e) => /* @__PURE__ */ q("option", { value: e.name }, e.name))
		})]
	});
}
var hx = 5;
function gx() {
	let e = [...It.value];
	return e.length === 0 ? null : /* @__PURE__ */ q("div", {
		class: "selection-row",
		role: "group",
		"aria-label": "Selected names",
		children: [
			/* @__PURE__ */ q("span", { children: "Selected" }),
			/* @__PURE__ */ q("ul", { children: e.slice(0, hx).map((e) => /* @__PURE__ */ q("li", {
				class: "chip",
				title: e,
				children: [Li(e, 40), /* @__PURE__ */ q("button", {
					type: "button",
					class: "icon",
					"aria-label": `Take ${e} out of the selection`,
					onClick: () => Vt(e),
					children: "×"
				})]
			}, e)) }),
			e.length > hx ? /* @__PURE__ */ q("span", { children: [
				"and ",
				e.length - hx,
				" more"
			] }) : null,
			/* @__PURE__ */ q("button", {
				type: "button",
				class: "link",
				onClick: () => Bt([]),
				children: "Clear"
			})
		]
	});
}
// src/live.ts
var _x = B(null), vx = B(null);
function yx(e) {
	let t = 0, n = async () => {
		let n = ++t;
		try {
			let r = bx(await e.document());
			if (n !== t) return;
			let i = _x.value !== null;
			_x.value = r, vx.value = null, i && Vn("A run has changed: the page shows it as it is now");
		} catch (e) {
			if (n !== t) return;
			let r = e instanceof Error ? e : Error(String(e));
			_x.value ? Vn(`The run cannot be read again: ${r.message}`) : vx.value = r;
		}
	};
	return n(), e.live ? e.listen("events", (e) => {
		e.kind === "run" && n();
	}) : () => {};
}
function bx(e) {
	let t = e;
	if (typeof t != "object" || !t) throw Error("the data of this page is no document of eaves");
	if (typeof t.schema != "string" || !t.schema.startsWith("eaves.")) throw Error(`the data of this page is no document of eaves: its schema is ${JSON.stringify(t.schema) ?? "missing"}`);
	let n = (e) => Array.isArray(e) ? e : [];
	return {
		schema: t.schema,
		tool: t.tool ?? {
			name: "eaves",
			version: "?"
		},
		inputs: n(t.inputs),
		warnings: n(t.warnings),
		skipped: n(t.skipped),
		sections: n(t.sections).map((e) => ({
			...e,
			numbers: n(e.numbers),
			findings: n(e.findings),
			tables: n(e.tables)
		}))
	};
}
// src/source/inline.ts
function xx(e) {
	return document.querySelector(`script#eaves-${e}`);
}
function Sx(e) {
	let t = atob(e.trim()), n = new Uint8Array(t.length);
	for (let e = 0; e < t.length; e++) n[e] = t.charCodeAt(e);
	return n;
}
async function Cx(e) {
	let t = Sx(e), n = new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(n).arrayBuffer();
}
async function wx(e) {
	let t = xx(e);
	return t?.textContent ? t.dataset.packed === "gzip" ? Cx(t.textContent) : new TextEncoder().encode(t.textContent).buffer : null;
}
var Tx = "this page is a file; `eaves open FILE` starts a server that can do this";
function Ex() {
	let e = () => Promise.reject(/* @__PURE__ */ Error("this file holds no data, only the program of the page"));
	return {
		live: !1,
		document: e,
		part: () => Promise.resolve(null),
		ask: e,
		listen: () => () => {}
	};
}
function Dx() {
	return xx("document") ? {
		live: !1,
		async document() {
			try {
				let e = await wx("document");
				return JSON.parse(new TextDecoder().decode(e ?? /* @__PURE__ */ new ArrayBuffer(0)));
			} catch (e) {
				throw Error(`the report inside this page cannot be read: ${e instanceof Error ? e.message : String(e)}`);
			}
		},
		has: (e) => xx(e) !== null,
		part: (e) => wx(e),
		ask: () => Promise.reject(/* @__PURE__ */ Error(Tx)),
		listen: () => () => {}
	} : null;
}
// src/source/index.ts
function Ox() {
	return Dx() ?? (location.protocol === "file:" ? Ex() : sx());
}
// src/app.tsx
function kx() {
	return Rb.find((e) => e.id === Ft.value) ?? Rb[0];
}
function Ax() {
	$b() || Gb() || nn() || (It.value.size > 0 ? Bt([]) : Rt.value = null);
}
function jx() {
	return [
		{
			keys: ["Ctrl+K", ":"],
			does: "Commands and names",
			group: "Page",
			everywhere: !0,
			run: (e) => e.key === ":" && Mx(e.target) ? !1 : Qb()
		},
		{
			keys: ["/"],
			does: "Search",
			group: "Page",
			run: () => document.querySelector("#search")?.focus()
		},
		{
			keys: ["?"],
			does: "Keys",
			group: "Page",
			run: Wb
		},
		{
			keys: ["Escape"],
			does: "Close, or select nothing",
			group: "Page",
			everywhere: !0,
			run: Ax
		},
		{
			keys: ["T"],
			does: "Light or dark",
			group: "Page",
			run: () => In(Nn.value === "dark" ? "light" : "dark")
		},
		...Rb.slice(0, 9).map((e, t) => ({
			keys: [String(t + 1)],
			does: e.title,
			group: "Views",
			run: () => void (Ft.value = e.id)
		})),
		{
			keys: ["[", "]"],
			does: "View before, view after",
			group: "Views",
			run: (e) => Nx(e.key === "]" ? 1 : -1)
		},
		{
			keys: [
				"ArrowUp",
				"ArrowDown",
				"PageUp",
				"PageDown"
			],
			does: "Row",
			group: "Tables",
			listed: !0,
			run: () => !1
		},
		{
			keys: ["Enter"],
			does: "Select a name, explain a number",
			group: "Tables",
			listed: !0,
			run: () => !1
		},
		{
			keys: ["Space"],
			does: "Select one more, or one less",
			group: "Tables",
			listed: !0,
			run: () => !1
		}
	];
}
function Mx(e) {
	return e instanceof HTMLInputElement || e instanceof HTMLTextAreaElement;
}
function Nx(e) {
	Ft.value = Rb[(Rb.findIndex((e) => e === kx()) + e + Rb.length) % Rb.length]?.id ?? Ft.value;
}
function Px(e) {
	let t = kx(), n = R(null);
	if (L(_n, []), pn(jx), L(() => {
		Xt(), n.current?.scrollTo(0, 0);
	}, [t]), !t) return null;
	let r = t.missing?.(e);
	return /* @__PURE__ */ q(x, { children: [
		/* @__PURE__ */ q("a", {
			class: "skip",
			href: "#view",
			onClick: (e) => (e.preventDefault(), n.current?.focus()),
			children: "To the view"
		}),
		/* @__PURE__ */ q(dx, {
			...e,
			open: t
		}),
		/* @__PURE__ */ q("main", {
			id: "view",
			ref: n,
			tabIndex: -1,
			children: /* @__PURE__ */ q("div", {
				role: "tabpanel",
				id: "panel",
				"aria-labelledby": `tab-${t.id}`,
				children: r ? /* @__PURE__ */ q(tr, { children: /* @__PURE__ */ q(nr, { text: r }) }) : /* @__PURE__ */ q(t.Component, { ...e })
			})
		}),
		/* @__PURE__ */ q(Qt, {}),
		/* @__PURE__ */ q(ln, { document: e.document }),
		/* @__PURE__ */ q(nx, { commands: () => Hb(e) }),
		/* @__PURE__ */ q(Jb, {}),
		/* @__PURE__ */ q("div", {
			"aria-live": "polite",
			children: zn.value ? /* @__PURE__ */ q("div", {
				class: "notice",
				children: zn.value
			}) : null
		})
	] });
}
// src/start.tsx
function Fx({ source: e }) {
	return _x.value ? /* @__PURE__ */ q(Px, {
		source: e,
		document: _x.value
	}) : vx.value ? /* @__PURE__ */ q(Ix, {
		error: vx.value,
		isLive: e.live
	}) : /* @__PURE__ */ q("main", {
		class: "error-page",
		"aria-busy": "true",
		children: [/* @__PURE__ */ q("h1", { children: "eaves" }), /* @__PURE__ */ q("p", {
			class: "quiet",
			children: "Reading…"
		})]
	});
}
function Ix({ error: e, isLive: t }) {
	let n = t && e instanceof TypeError;
	return /* @__PURE__ */ q("main", {
		class: "error-page",
		children: [
			/* @__PURE__ */ q("h1", { children: n ? "No server answers" : t ? "The server has no answer" : "This page is damaged" }),
			/* @__PURE__ */ q("pre", {
				role: "alert",
				children: e.message
			}),
			n ? /* @__PURE__ */ q("p", { children: [
				"The server that this page came from has ended, or cannot be reached. Start it again with ",
				/* @__PURE__ */ q("code", { children: "eaves open TRACE" }),
				", then reload this page."
			] }) : t ? /* @__PURE__ */ q("p", { children: [
				/* @__PURE__ */ q("a", {
					href: "?",
					children: "Show the newest run"
				}),
				", or open another one with ",
				/* @__PURE__ */ q("code", { children: "eaves open TRACE" }),
				"."
			] }) : /* @__PURE__ */ q("p", { children: [
				"Its data cannot be read: the file was cut or changed on its way. Write it again with ",
				/* @__PURE__ */ q("code", { children: "eaves report TRACE -o report.html" }),
				"."
			] }),
			/* @__PURE__ */ q("p", { children: /* @__PURE__ */ q("button", {
				type: "button",
				class: "button",
				onClick: () => location.reload(),
				children: "Try again"
			}) })
		]
	});
}
// src/main.tsx
var Lx = document.getElementById("app");
if (Lx) {
	Gt(), Ln();
	let e = Ox();
	at(() => {
		_x.value && (document.title = `${lx(_x.value)} · eaves`);
	}), yx(e), N(/* @__PURE__ */ q(Fx, { source: e }), Lx);
}

//! The `table!` macro: a struct of columns with a row type, so that every table is declared once and all
//! tables can be appended, compared and exported alike.

/// Declares a table: `Name / Row { column: type, ... }`.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident / $row:ident {
        $($(#[$column_doc:meta])* $column:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $table {
            $($(#[$column_doc])* pub $column: Vec<$type>,)*
        }

        #[doc = concat!("One row of [`", stringify!($table), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $row {
            $($(#[$column_doc])* pub $column: $type,)*
        }

        impl $table {
            /// Number of rows.
            #[inline]
            pub fn len(&self) -> usize {
                table!(@first $($column)*; self).len()
            }

            /// True without rows.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Appends one row.
            #[inline]
            pub fn push(&mut self, row: $row) {
                $(self.$column.push(row.$column);)*
            }

            /// Makes room for rows to come.
            pub fn reserve(&mut self, rows: usize) {
                $(self.$column.reserve(rows);)*
            }

            /// The row at an index that must exist.
            #[inline]
            pub fn row(&self, index: usize) -> $row {
                $row { $($column: self.$column[index],)* }
            }

            /// Appends all rows of another part of the same trace. Each source column is freed as soon as it
            /// was copied, so the peak is one column more than the sum.
            pub fn append(&mut self, other: Self, relocation: &$crate::Relocation) {
                $(
                    let column = other.$column;
                    self.$column.extend(column.into_iter().map(|value| {
                        $crate::Element::relocate(value, relocation)
                    }));
                )*
            }

            /// Keeps the rows for which the answer is true, in order.
            pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
                let kept: Vec<bool> = (0..self.len()).map(&mut keep).collect();
                $(
                    let mut row = 0;
                    self.$column.retain(|_| {
                        row += 1;
                        kept[row - 1]
                    });
                )*
            }

            /// Every column with its name, in declaration order.
            pub fn columns(&self) -> Vec<(&'static str, $crate::Column<'_>)> {
                vec![$((stringify!($column), <$type as $crate::Element>::column(&self.$column)),)*]
            }
        }
    };
    (@first $first:ident $($rest:ident)*; $table:ident) => { $table.$first };
}
pub(crate) use table;

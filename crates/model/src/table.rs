//! The `table!` macro: a struct of columns with a row type, so that every table is declared once and all
//! tables can be appended, compared and exported alike.

/// Declares a table: `Name / Row { column: type, ... }`. A column that few recordings fill is `column:
/// type = Sparse`, one of few distinct values `column: type = Packed`.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident / $row:ident {
        $($(#[$column_doc:meta])* $column:ident: $type:ty $(= $store:ident)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $table {
            $($(#[$column_doc])* pub $column: table!(@store $($store)? $type),)*
        }

        #[doc = concat!("One row of [`", stringify!($table), "`]; by default nothing is known of it.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
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
                $($crate::column::Store::put(&mut self.$column, row.$column);)*
            }

            /// Makes room for rows to come.
            pub fn reserve(&mut self, rows: usize) {
                $($crate::column::Store::make_room(&mut self.$column, rows);)*
            }

            /// The row at an index that must exist.
            #[inline]
            pub fn row(&self, index: usize) -> $row {
                $row { $($column: self.$column[index],)* }
            }

            /// Appends all rows of another part of the same trace. Each source column is freed as soon as it
            /// was copied, so the peak is one column more than the sum.
            pub fn append(&mut self, other: Self, relocation: &$crate::Relocation) {
                $($crate::column::Store::relocated(&mut self.$column, other.$column, relocation);)*
            }

            /// Keeps the rows for which the answer is true, in order.
            pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
                let kept: Vec<bool> = (0..self.len()).map(&mut keep).collect();
                $($crate::column::Store::keep(&mut self.$column, &kept);)*
            }

            /// Appends rows given as columns in declaration order; nothing if they do not fit.
            pub(crate) fn extend_from(
                &mut self,
                columns: Vec<$crate::ColumnData>,
            ) -> Result<(), $crate::Unfit> {
                const NAMES: &[&str] = &[$(stringify!($column)),*];
                $crate::rebuild::check_shape(NAMES.len(), &columns, self.len())?;
                let mut columns = columns.into_iter();
                $(
                    let $column = match columns.next().map(<$type as $crate::rebuild::FromData>::from_data) {
                        Some(Ok(values)) => values,
                        Some(Err(data)) => {
                            let (column, found) = (stringify!($column), data.type_name());
                            return Err($crate::Unfit::Type { column, found });
                        }
                        None => Vec::new(),
                    };
                )*
                $($crate::column::Store::extend_with(&mut self.$column, $column);)*
                Ok(())
            }

            /// Every column with its name, in declaration order.
            pub fn columns(&self) -> Vec<(&'static str, $crate::Column<'_>)> {
                vec![$({
                    let values = $crate::column::Store::<$type>::values(&self.$column);
                    (stringify!($column), <$type as $crate::Element>::column(values))
                },)*]
            }
        }
    };
    (@store Sparse $type:ty) => { $crate::Sparse<$type> };
    (@store Packed $type:ty) => { $crate::Packed<$type> };
    (@store $type:ty) => { Vec<$type> };
    (@first $first:ident $($rest:ident)*; $table:ident) => { $table.$first };
}
pub(crate) use table;

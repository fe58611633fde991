//! Enums whose values have names: on the command line, in protocols and in Python.

/// Declares an enum with its values in order and their names.
macro_rules! named_enum {
    ($(#[$head:meta])* pub enum $Enum:ident { $($(#[$doc:meta])* $Value:ident $(= $code:literal)? => $name:literal,)* }) => {
        $(#[$head])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Enum {
            $($(#[$doc])* $Value $(= $code)?,)*
        }

        impl $Enum {
            /// All values, in order.
            pub const ALL: [$Enum; [$($name),*].len()] = [$($Enum::$Value),*];

            /// The names of all values, in order.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Value => $name,)*
                }
            }

            /// Returns the value of a name, in either case.
            pub fn named(name: &str) -> Option<$Enum> {
                $Enum::ALL.into_iter().find(|value| value.name().eq_ignore_ascii_case(name))
            }
        }
    };
}
pub(crate) use named_enum;

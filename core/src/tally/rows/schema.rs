//! The columns of TALLY, declared once. Rows in memory, parts on disk and the tables of Python are derived from here.

/// Calls a macro with the columns of TALLY in order. Of each: field of a row, name, type, coding in a part, unit and
/// meaning.
macro_rules! for_tally_columns {
    ($use:ident) => {
        $use! {
            key "key" u64 Delta "key" "64-bit key of the position";
            lock "lock" u32 Plain "key" "second, independent key of the position";
            played "move" u16 Dictionary "move code" "move played; 0 = the game ended here or at the ply limit";
            mover "mover" u8 Dictionary "side" "side to move: 0 first, 1 second";
            games "games" u64 Dictionary "games" "games counted, unknown results included";
            first_wins "first_wins" u64 Dictionary "games" "games won by the first side";
            draws "draws" u64 Dictionary "games" "games drawn";
            second_wins "second_wins" u64 Dictionary "games" "games won by the second side";
            ply "ply" u16 Dictionary "plies" "smallest ply at which the position was seen";
            rating_sum "rating_sum" u64 Delta "rating points" "sum of the mover's known ratings";
            rated "rated" u64 Dictionary "games" "games in which the mover's rating is known";
            year_min "year_min" u16 Dictionary "year" "earliest year; 0 = unknown";
            year_max "year_max" u16 Dictionary "year" "latest year; 0 = unknown";
            marks "marks" i64 Dictionary "marks" "annotation marks of the move, ‼ +3 … ⁇ −3, summed";
            sample "sample" u64 Plain "fingerprint" "the game with the highest mean rating; ties: the smaller";
            sample_rating "sample_rating" u16 Delta "rating points" "mean rating of that game";
            paired "paired" u64 Dictionary "games" "games with a known result and both ratings known";
            surplus "surplus" i64 Dictionary "1/100 game" "score of the first side in those less what the ratings promise";
        }
    };
}
pub(crate) use for_tally_columns;

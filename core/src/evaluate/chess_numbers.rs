//! Numbers of the chess evaluation, middlegame and endgame, in centipawns; written by `examples/tune.rs`.
//!
//! Origin: every second game of a collection of master games (PGN Mentor, by players): 92153 games, 863272 quiet positions, 200 passes; cross-entropy of 45436 others 0.6336 before, 0.6316 after.

use super::chess_terms::COUNT;
use super::tapered::{Pair, pair};

#[rustfmt::skip]
pub(super) static NUMBERS: [Pair; COUNT] = [
    // pawn on a square, its material included
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    pair(79, 115), pair(80, 118), pair(72, 120), pair(97, 108), pair(92, 123), pair(100, 124), pair(105, 108), pair(69, 104),
    pair(66, 106), pair(76, 111), pair(69, 108), pair(87, 108), pair(95, 112), pair(90, 112), pair(99, 106), pair(71, 103),
    pair(80, 121), pair(79, 125), pair(92, 102), pair(95, 97), pair(107, 105), pair(101, 112), pair(98, 116), pair(84, 112),
    pair(84, 143), pair(83, 131), pair(93, 124), pair(102, 108), pair(123, 107), pair(115, 123), pair(102, 132), pair(93, 127),
    pair(108, 160), pair(113, 158), pair(114, 146), pair(120, 145), pair(127, 145), pair(119, 152), pair(114, 153), pair(107, 156),
    pair(135, 190), pair(139, 190), pair(136, 184), pair(144, 183), pair(144, 184), pair(135, 183), pair(137, 186), pair(134, 188),
    pair(85, 114), pair(85, 112), pair(79, 110), pair(85, 108), pair(85, 108), pair(79, 110), pair(87, 112), pair(85, 114),
    // knight on a square
    pair(277, 268), pair(306, 271), pair(292, 283), pair(302, 285), pair(304, 286), pair(298, 283), pair(302, 276), pair(278, 267),
    pair(293, 277), pair(306, 289), pair(312, 295), pair(314, 294), pair(320, 299), pair(317, 296), pair(306, 289), pair(300, 276),
    pair(305, 281), pair(308, 297), pair(312, 305), pair(338, 313), pair(336, 312), pair(320, 296), pair(322, 297), pair(312, 285),
    pair(314, 291), pair(331, 308), pair(337, 317), pair(339, 325), pair(343, 323), pair(346, 320), pair(339, 306), pair(325, 291),
    pair(328, 298), pair(336, 304), pair(344, 317), pair(363, 331), pair(343, 325), pair(357, 319), pair(341, 309), pair(328, 293),
    pair(321, 288), pair(338, 301), pair(353, 312), pair(361, 319), pair(360, 318), pair(352, 313), pair(340, 301), pair(323, 287),
    pair(309, 280), pair(324, 293), pair(333, 300), pair(339, 304), pair(338, 303), pair(333, 298), pair(323, 291), pair(307, 277),
    pair(284, 268), pair(299, 279), pair(305, 285), pair(309, 287), pair(309, 288), pair(305, 284), pair(299, 278), pair(285, 268),
    // bishop on a square
    pair(328, 302), pair(338, 306), pair(339, 313), pair(323, 306), pair(327, 310), pair(338, 318), pair(331, 306), pair(322, 300),
    pair(348, 307), pair(349, 304), pair(360, 311), pair(337, 321), pair(336, 321), pair(350, 314), pair(356, 318), pair(347, 308),
    pair(343, 309), pair(363, 312), pair(349, 322), pair(350, 323), pair(353, 330), pair(342, 319), pair(359, 313), pair(353, 315),
    pair(345, 310), pair(349, 318), pair(342, 327), pair(363, 326), pair(361, 326), pair(355, 323), pair(351, 319), pair(355, 312),
    pair(340, 314), pair(340, 321), pair(357, 324), pair(363, 328), pair(362, 328), pair(360, 324), pair(346, 322), pair(343, 312),
    pair(340, 313), pair(348, 317), pair(351, 321), pair(356, 322), pair(357, 326), pair(354, 323), pair(350, 315), pair(346, 314),
    pair(334, 307), pair(342, 313), pair(343, 318), pair(342, 319), pair(342, 317), pair(341, 315), pair(342, 313), pair(333, 307),
    pair(326, 303), pair(334, 307), pair(330, 312), pair(330, 311), pair(330, 312), pair(330, 310), pair(334, 307), pair(326, 303),
    // rook on a square
    pair(464, 535), pair(469, 531), pair(471, 536), pair(480, 528), pair(483, 524), pair(471, 537), pair(478, 532), pair(476, 532),
    pair(461, 531), pair(469, 535), pair(472, 532), pair(473, 530), pair(476, 528), pair(471, 528), pair(475, 534), pair(467, 535),
    pair(465, 539), pair(466, 536), pair(471, 539), pair(479, 535), pair(480, 532), pair(475, 534), pair(479, 537), pair(469, 539),
    pair(471, 546), pair(476, 542), pair(476, 540), pair(487, 544), pair(483, 540), pair(477, 542), pair(478, 542), pair(474, 544),
    pair(478, 553), pair(481, 549), pair(482, 549), pair(494, 546), pair(491, 547), pair(484, 546), pair(481, 545), pair(478, 547),
    pair(484, 553), pair(489, 551), pair(493, 551), pair(494, 545), pair(500, 548), pair(491, 548), pair(487, 547), pair(482, 549),
    pair(491, 551), pair(497, 553), pair(501, 547), pair(508, 550), pair(508, 548), pair(502, 550), pair(498, 549), pair(497, 552),
    pair(485, 550), pair(489, 549), pair(493, 549), pair(499, 550), pair(498, 547), pair(492, 549), pair(489, 548), pair(486, 548),
    // queen on a square
    pair(979, 954), pair(984, 961), pair(978, 963), pair(979, 968), pair(984, 964), pair(972, 961), pair(975, 959), pair(973, 954),
    pair(976, 961), pair(989, 967), pair(985, 970), pair(991, 973), pair(986, 975), pair(980, 971), pair(982, 969), pair(978, 961),
    pair(977, 972), pair(978, 981), pair(986, 993), pair(972, 992), pair(988, 994), pair(985, 989), pair(984, 982), pair(982, 973),
    pair(979, 980), pair(981, 991), pair(979, 997), pair(978, 1005), pair(986, 1006), pair(987, 1001), pair(990, 992), pair(979, 980),
    pair(978, 983), pair(983, 996), pair(985, 1006), pair(992, 1014), pair(989, 1012), pair(987, 1006), pair(985, 997), pair(979, 985),
    pair(979, 983), pair(982, 993), pair(985, 1001), pair(991, 1008), pair(992, 1007), pair(990, 1002), pair(986, 994), pair(980, 985),
    pair(976, 981), pair(976, 988), pair(984, 995), pair(988, 999), pair(988, 998), pair(985, 994), pair(981, 989), pair(980, 982),
    pair(976, 971), pair(980, 978), pair(981, 981), pair(984, 985), pair(985, 985), pair(982, 982), pair(980, 978), pair(978, 972),
    // king on a square
    pair(26, -43), pair(45, -33), pair(28, -26), pair(-3, -24), pair(17, -31), pair(-9, -29), pair(25, -33), pair(20, -61),
    pair(14, -23), pair(19, -8), pair(7, -4), pair(-15, 5), pair(-12, 2), pair(-12, 1), pair(22, -9), pair(12, -24),
    pair(-16, -14), pair(-6, 6), pair(-18, 14), pair(-42, 20), pair(-38, 22), pair(-37, 15), pair(-7, 2), pair(-16, -18),
    pair(-31, -8), pair(-22, 17), pair(-34, 31), pair(-57, 41), pair(-56, 37), pair(-52, 28), pair(-21, 12), pair(-31, -8),
    pair(-41, -4), pair(-31, 22), pair(-45, 36), pair(-69, 44), pair(-65, 44), pair(-62, 35), pair(-30, 21), pair(-39, -3),
    pair(-46, -3), pair(-38, 17), pair(-50, 30), pair(-73, 37), pair(-70, 34), pair(-68, 30), pair(-35, 18), pair(-44, -1),
    pair(-46, -12), pair(-38, 4), pair(-50, 13), pair(-74, 18), pair(-70, 19), pair(-68, 14), pair(-36, 5), pair(-44, -12),
    pair(-46, -28), pair(-38, -15), pair(-50, -9), pair(-74, -8), pair(-70, -7), pair(-68, -9), pair(-36, -16), pair(-44, -28),
    // knight, by squares it may go to that no pawn guards
    pair(-21, -19), pair(-25, -22), pair(-15, -16), pair(-9, -2), pair(0, 3), pair(7, 15), pair(12, 20), pair(14, 23), pair(17, 21),
    // bishop, the same
    pair(-27, -29), pair(-21, -25), pair(-9, -25), pair(-8, -10), pair(-0, 0), pair(2, 10), pair(4, 19),
    pair(9, 20), pair(9, 24), pair(10, 23), pair(17, 17), pair(23, 25), pair(24, 25), pair(28, 26),
    // rook, the same
    pair(-15, -25), pair(-17, -30), pair(-16, -24), pair(-13, -19), pair(-9, -15), pair(-8, -7), pair(-4, 1), pair(-0, 8),
    pair(3, 15), pair(8, 19), pair(9, 22), pair(10, 29), pair(16, 31), pair(18, 31), pair(19, 35),
    // queen, the same
    pair(-12, -36), pair(-12, -33), pair(-16, -30), pair(-14, -27), pair(-6, -26), pair(-12, -22), pair(-11, -21),
    pair(-7, -18), pair(-6, -12), pair(-4, -11), pair(-1, -6), pair(4, -3), pair(5, 0), pair(4, 6),
    pair(7, 10), pair(6, 15), pair(4, 15), pair(6, 17), pair(8, 19), pair(6, 20), pair(8, 24),
    pair(9, 26), pair(10, 30), pair(11, 33), pair(12, 35), pair(13, 39), pair(14, 42), pair(15, 45),
    // two bishops; own pawns on a bishop's colour; rook on an open, a half-open file, on the seventh rank
    pair(48, 76), pair(-8, -5), pair(17, 14), pair(12, 3), pair(-1, 1),
    // knight, bishop on a square that a pawn guards and none can attack
    pair(17, 17), pair(26, 14),
    // doubled, isolated, backward pawn
    pair(-16, -19), pair(-7, -14), pair(-10, -8),
    // pawn beside another, by rank
    pair(0, 0), pair(0, 3), pair(8, 2), pair(11, 6), pair(16, 16), pair(4, 7), pair(0, 1), pair(0, 0),
    // pawn guarded by another, by rank
    pair(0, 0), pair(0, 0), pair(7, 16), pair(5, 8), pair(18, 4), pair(12, 9), pair(0, 1), pair(0, 0),
    // passed pawn, by rank
    pair(0, 0), pair(-4, 14), pair(-16, 16), pair(-2, 31), pair(26, 58), pair(48, 89), pair(79, 128), pair(0, 0),
    // passed pawn with the square before it taken, by rank
    pair(0, 0), pair(-4, -5), pair(-4, -3), pair(-8, -9), pair(-4, -17), pair(1, -30), pair(-4, -48), pair(0, 0),
    // passed pawn with the square before it not attacked, by rank
    pair(0, 0), pair(1, 6), pair(-2, 5), pair(-2, 8), pair(4, 14), pair(5, 26), pair(2, 26), pair(0, 0),
    // passed pawn from the fourth rank on, by distance of its king
    pair(2, 8), pair(5, 22), pair(5, 5), pair(-1, -13), pair(-9, -30), pair(-7, -31), pair(-4, -25), pair(-1, -29),
    // passed pawn from the fourth rank on, by distance of the other king
    pair(-10, -13), pair(-3, -8), pair(0, 9), pair(-1, 20), pair(-4, 33), pair(4, 42), pair(3, 39), pair(-0, 37),
    // own pawn nearest before the king, on the three files, by rank; 0: none
    pair(-11, 5), pair(18, -2), pair(12, -6), pair(9, -4), pair(4, 1), pair(7, 2), pair(0, 3), pair(0, 0),
    // enemy pawn nearest before the king, on the three files, by rank; 0: none
    pair(-2, 6), pair(6, 10), pair(-16, 6), pair(-6, -0), pair(4, -6), pair(9, -6), pair(4, -9), pair(0, 0),
    // king attacked, by weight of the attack, with an enemy queen
    pair(0, 0), pair(0, 0), pair(2, 0), pair(9, 3), pair(9, 1), pair(5, -4), pair(19, 2), pair(30, 4),
    pair(30, 4), pair(18, -1), pair(42, -1), pair(58, 2), pair(64, 2), pair(81, 1), pair(99, 1), pair(112, 1),
    pair(130, 2), pair(145, 1), pair(163, 0), pair(181, 1), pair(201, 0), pair(221, 0), pair(243, 0), pair(261, 0),
    pair(260, 0), pair(260, -0), pair(260, 0), pair(260, -0), pair(260, -0), pair(260, 0), pair(260, 0), pair(260, 0),
    // king attacked, by weight of the attack, without
    pair(0, 0), pair(0, 0), pair(1, 0), pair(2, 0), pair(4, 0), pair(6, 0), pair(9, 0), pair(11, -2),
    pair(12, -7), pair(18, -3), pair(22, -4), pair(32, 4), pair(36, -1), pair(42, 1), pair(51, 5), pair(58, 2),
    pair(66, 6), pair(73, 2), pair(82, 1), pair(90, 1), pair(100, 0), pair(110, 0), pair(121, 0), pair(130, 0),
    pair(130, 0), pair(130, 0), pair(130, 0), pair(130, 0), pair(130, 0), pair(130, 0), pair(130, 0), pair(130, 0),
    // pawn attacks a knight, bishop, rook, queen
    pair(0, 0), pair(36, 28), pair(29, 31), pair(39, 30), pair(35, 29), pair(0, 0),
    // knight or bishop attacks a pawn, knight, bishop, rook, queen
    pair(-6, 13), pair(18, 33), pair(36, 22), pair(33, 22), pair(30, 21), pair(0, 0),
    // rook attacks a pawn, knight, bishop, rook, queen
    pair(-3, 20), pair(13, 15), pair(13, 12), pair(-0, 0), pair(37, 22), pair(0, 0),
    // pawn, knight, bishop, rook, queen attacked and not guarded
    pair(12, 31), pair(10, 12), pair(5, 12), pair(12, 9), pair(4, 8), pair(0, 0),
    // king on a file without own pawns, without any
    pair(-3, 5), pair(-28, -13),
    // free squares behind the own pawns in the centre
    pair(-4, 6),
    // the right to move
    pair(12, 9),
];

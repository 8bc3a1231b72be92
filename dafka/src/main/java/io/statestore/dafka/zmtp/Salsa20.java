package io.statestore.dafka.zmtp;

/**
 * Core of Salsa20 (Bernstein, The Salsa20 family of stream ciphers, 2007). Blocks have 16
 * words.
 */
final class Salsa20 {

	private static final int ROUNDS = 20;

	private Salsa20() {
	}

	/** Fills a block with the constants, a key, and four other words. */
	static void fill(int[] block, int[] key, int n0, int n1, int n2, int n3) {
		block[0] = 0x61707865;
		block[5] = 0x3320646e;
		block[10] = 0x79622d32;
		block[15] = 0x6b206574;
		System.arraycopy(key, 0, block, 1, 4);
		System.arraycopy(key, 4, block, 11, 4);
		block[6] = n0;
		block[7] = n1;
		block[8] = n2;
		block[9] = n3;
	}

	/** Applies the rounds to a block, without the final addition. */
	static void rounds(int[] in, int[] out) {
		int x0 = in[0];
		int x1 = in[1];
		int x2 = in[2];
		int x3 = in[3];
		int x4 = in[4];
		int x5 = in[5];
		int x6 = in[6];
		int x7 = in[7];
		int x8 = in[8];
		int x9 = in[9];
		int x10 = in[10];
		int x11 = in[11];
		int x12 = in[12];
		int x13 = in[13];
		int x14 = in[14];
		int x15 = in[15];
		for (int i = 0; i < ROUNDS; i += 2) {
			x4 ^= Integer.rotateLeft(x0 + x12, 7);
			x8 ^= Integer.rotateLeft(x4 + x0, 9);
			x12 ^= Integer.rotateLeft(x8 + x4, 13);
			x0 ^= Integer.rotateLeft(x12 + x8, 18);
			x9 ^= Integer.rotateLeft(x5 + x1, 7);
			x13 ^= Integer.rotateLeft(x9 + x5, 9);
			x1 ^= Integer.rotateLeft(x13 + x9, 13);
			x5 ^= Integer.rotateLeft(x1 + x13, 18);
			x14 ^= Integer.rotateLeft(x10 + x6, 7);
			x2 ^= Integer.rotateLeft(x14 + x10, 9);
			x6 ^= Integer.rotateLeft(x2 + x14, 13);
			x10 ^= Integer.rotateLeft(x6 + x2, 18);
			x3 ^= Integer.rotateLeft(x15 + x11, 7);
			x7 ^= Integer.rotateLeft(x3 + x15, 9);
			x11 ^= Integer.rotateLeft(x7 + x3, 13);
			x15 ^= Integer.rotateLeft(x11 + x7, 18);
			x1 ^= Integer.rotateLeft(x0 + x3, 7);
			x2 ^= Integer.rotateLeft(x1 + x0, 9);
			x3 ^= Integer.rotateLeft(x2 + x1, 13);
			x0 ^= Integer.rotateLeft(x3 + x2, 18);
			x6 ^= Integer.rotateLeft(x5 + x4, 7);
			x7 ^= Integer.rotateLeft(x6 + x5, 9);
			x4 ^= Integer.rotateLeft(x7 + x6, 13);
			x5 ^= Integer.rotateLeft(x4 + x7, 18);
			x11 ^= Integer.rotateLeft(x10 + x9, 7);
			x8 ^= Integer.rotateLeft(x11 + x10, 9);
			x9 ^= Integer.rotateLeft(x8 + x11, 13);
			x10 ^= Integer.rotateLeft(x9 + x8, 18);
			x12 ^= Integer.rotateLeft(x15 + x14, 7);
			x13 ^= Integer.rotateLeft(x12 + x15, 9);
			x14 ^= Integer.rotateLeft(x13 + x12, 13);
			x15 ^= Integer.rotateLeft(x14 + x13, 18);
		}
		out[0] = x0;
		out[1] = x1;
		out[2] = x2;
		out[3] = x3;
		out[4] = x4;
		out[5] = x5;
		out[6] = x6;
		out[7] = x7;
		out[8] = x8;
		out[9] = x9;
		out[10] = x10;
		out[11] = x11;
		out[12] = x12;
		out[13] = x13;
		out[14] = x14;
		out[15] = x15;
	}

}

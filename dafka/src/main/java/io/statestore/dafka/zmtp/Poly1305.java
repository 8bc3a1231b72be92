package io.statestore.dafka.zmtp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Authenticator Poly1305 (RFC 8439, section 2.5). Numbers of 130 bits consist of five
 * limbs of 26 bits.
 */
final class Poly1305 {

	private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

	private static final int BLOCK = 16;

	private static final long LIMB = 0x3FF_FFFF;

	private Poly1305() {
	}

	/**
	 * Computes the authenticator of a part of an array.
	 * @param key block whose first eight words are the key, to be used only once
	 * @param result array for the authenticator
	 * @param resultOffset offset of the 16 bytes of the authenticator
	 */
	static void compute(int[] key, byte[] data, int offset, int length, byte[] result, int resultOffset) {
		long t0 = key[0] & 0xFFFF_FFFFL;
		long t1 = key[1] & 0xFFFF_FFFFL;
		long t2 = key[2] & 0xFFFF_FFFFL;
		long t3 = key[3] & 0xFFFF_FFFFL;
		long r0 = t0 & 0x3FF_FFFF;
		long r1 = (t0 >>> 26 | t1 << 6) & 0x3FF_FF03;
		long r2 = (t1 >>> 20 | t2 << 12) & 0x3FF_C0FF;
		long r3 = (t2 >>> 14 | t3 << 18) & 0x3F0_3FFF;
		long r4 = t3 >>> 8 & 0x00F_FFFF;
		long s1 = 5 * r1;
		long s2 = 5 * r2;
		long s3 = 5 * r3;
		long s4 = 5 * r4;
		long h0 = 0;
		long h1 = 0;
		long h2 = 0;
		long h3 = 0;
		long h4 = 0;
		byte[] source = data;
		int end = offset + length;
		for (int at = offset; at < end; at += BLOCK) {
			int position = at;
			long high = 1L << 24;
			if (end - at < BLOCK) {
				source = Arrays.copyOf(Arrays.copyOfRange(data, at, end), BLOCK);
				source[end - at] = 1;
				position = 0;
				high = 0;
			}
			t0 = (int) INTS.get(source, position) & 0xFFFF_FFFFL;
			t1 = (int) INTS.get(source, position + 4) & 0xFFFF_FFFFL;
			t2 = (int) INTS.get(source, position + 8) & 0xFFFF_FFFFL;
			t3 = (int) INTS.get(source, position + 12) & 0xFFFF_FFFFL;
			h0 += t0 & LIMB;
			h1 += (t0 >>> 26 | t1 << 6) & LIMB;
			h2 += (t1 >>> 20 | t2 << 12) & LIMB;
			h3 += (t2 >>> 14 | t3 << 18) & LIMB;
			h4 += t3 >>> 8 | high;
			long d0 = h0 * r0 + h1 * s4 + h2 * s3 + h3 * s2 + h4 * s1;
			long d1 = h0 * r1 + h1 * r0 + h2 * s4 + h3 * s3 + h4 * s2;
			long d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s4 + h4 * s3;
			long d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s4;
			long d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0;
			d1 += d0 >>> 26;
			d2 += d1 >>> 26;
			d3 += d2 >>> 26;
			d4 += d3 >>> 26;
			h0 = (d0 & LIMB) + 5 * (d4 >>> 26);
			h1 = (d1 & LIMB) + (h0 >>> 26);
			h0 &= LIMB;
			h2 = d2 & LIMB;
			h3 = d3 & LIMB;
			h4 = d4 & LIMB;
		}
		h2 += h1 >>> 26;
		h1 &= LIMB;
		h3 += h2 >>> 26;
		h2 &= LIMB;
		h4 += h3 >>> 26;
		h3 &= LIMB;
		h0 += 5 * (h4 >>> 26);
		h4 &= LIMB;
		h1 += h0 >>> 26;
		h0 &= LIMB;
		// The sum minus the modulus 2^130 - 5, which replaces it unless it is negative.
		long g0 = h0 + 5;
		long g1 = h1 + (g0 >>> 26);
		long g2 = h2 + (g1 >>> 26);
		long g3 = h3 + (g2 >>> 26);
		long g4 = h4 + (g3 >>> 26) - (1L << 26);
		long keep = g4 >> 63;
		h0 = h0 & keep | g0 & LIMB & ~keep;
		h1 = h1 & keep | g1 & LIMB & ~keep;
		h2 = h2 & keep | g2 & LIMB & ~keep;
		h3 = h3 & keep | g3 & LIMB & ~keep;
		h4 = h4 & keep | g4 & LIMB & ~keep;
		long sum = ((h0 | h1 << 26) & 0xFFFF_FFFFL) + (key[4] & 0xFFFF_FFFFL);
		INTS.set(result, resultOffset, (int) sum);
		sum = (sum >>> 32) + ((h1 >>> 6 | h2 << 20) & 0xFFFF_FFFFL) + (key[5] & 0xFFFF_FFFFL);
		INTS.set(result, resultOffset + 4, (int) sum);
		sum = (sum >>> 32) + ((h2 >>> 12 | h3 << 14) & 0xFFFF_FFFFL) + (key[6] & 0xFFFF_FFFFL);
		INTS.set(result, resultOffset + 8, (int) sum);
		sum = (sum >>> 32) + ((h3 >>> 18 | h4 << 8) & 0xFFFF_FFFFL) + (key[7] & 0xFFFF_FFFFL);
		INTS.set(result, resultOffset + 12, (int) sum);
	}

}

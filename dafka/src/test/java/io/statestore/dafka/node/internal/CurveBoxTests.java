package io.statestore.dafka.node.internal;

import java.util.Arrays;
import java.util.Random;

import com.neilalexander.jnacl.crypto.curve25519xsalsa20poly1305;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Encryption, compared with another implementation. */
class CurveBoxTests {

	private final Random random = new Random(7);

	@Test
	void encryptsLikeNacl() {
		for (int size = 0; size < 600; size++) {
			byte[] text = bytes(size);
			byte[] nonce = bytes(24);
			byte[] key = bytes(32);
			byte[] padded = new byte[32 + size];
			System.arraycopy(text, 0, padded, 32, size);
			byte[] expected = new byte[32 + size];
			curve25519xsalsa20poly1305.crypto_box_afternm(expected, padded, padded.length, nonce, key);
			byte[] box = CurveBox.seal(text, nonce, key);
			assertThat(box).as("size " + size).isEqualTo(Arrays.copyOfRange(expected, 16, expected.length));
			assertThat(CurveBox.open(box, 0, box.length, nonce, key)).isEqualTo(text);
		}
	}

	@Test
	void agreesLikeNacl() {
		for (int i = 0; i < 5; i++) {
			byte[] secretKey = bytes(32);
			byte[] publicKey = new byte[32];
			curve25519xsalsa20poly1305.crypto_box_getpublickey(publicKey, secretKey);
			assertThat(CurveBox.publicKey(secretKey)).isEqualTo(publicKey);
			byte[] other = bytes(32);
			byte[] expected = new byte[32];
			curve25519xsalsa20poly1305.crypto_box_beforenm(expected, publicKey, other);
			assertThat(CurveBox.sharedKey(publicKey, other)).isEqualTo(expected);
		}
	}

	@Test
	void detectsEachChangedBit() {
		byte[] nonce = bytes(24);
		byte[] key = bytes(32);
		byte[] box = CurveBox.seal(bytes(40), nonce, key);
		for (int bit = 0; bit < 8 * box.length; bit++) {
			byte[] changed = box.clone();
			changed[bit / 8] ^= (byte) (1 << bit % 8);
			assertThat(CurveBox.open(changed, 0, changed.length, nonce, key)).as("bit " + bit).isNull();
		}
		for (int length = 0; length < box.length; length++) {
			assertThat(CurveBox.open(box, 0, length, nonce, key)).as("length " + length).isNull();
		}
	}

	@Test
	void refusesPublicKeysWithPredictableResult() {
		byte[] secretKey = bytes(32);
		byte[] one = new byte[32];
		one[0] = 1;
		assertThat(CurveBox.sharedKey(new byte[32], secretKey)).isNull();
		assertThat(CurveBox.sharedKey(one, secretKey)).isNull();
	}

	@Test
	void acceptsAnyOtherPublicKey() {
		byte[] high = new byte[32];
		Arrays.fill(high, (byte) -1);
		assertThat(CurveBox.sharedKey(high, bytes(32))).isNotNull();
	}

	private byte[] bytes(int size) {
		byte[] bytes = new byte[size];
		this.random.nextBytes(bytes);
		return bytes;
	}

}

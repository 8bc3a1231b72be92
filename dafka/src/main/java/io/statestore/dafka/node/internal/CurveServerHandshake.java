package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Server side of a CURVE handshake (ZeroMQ RFC 26). Accepts only keys in the list of
 * peers. Comments use the RFC's letters: {@code C} and {@code S} are the public keys of
 * client and server, {@code c} and {@code s} their secret keys, and a prime marks keys
 * generated for this connection.
 */
final class CurveServerHandshake extends CurveHandshake {

	/** Offset of the box in INITIATE, after the cookie and the counter. */
	private static final int INITIATE_BOX = 113;

	/** Length of the vouch, including its nonce. */
	private static final int VOUCH = 96;

	/** Maximum length of INITIATE, with 256 bytes of metadata. */
	private static final int MAX_INITIATE = INITIATE_BOX + CurveBox.OVERHEAD + CurveBox.KEY + VOUCH + 256;

	private final String socketType;

	/** {@code C'}, the client's public key for this connection. */
	private byte[] clientKey = new byte[0];

	/** Key for HELLO and WELCOME, shared by {@code C'} and {@code S}. */
	private byte[] firstKey = new byte[0];

	/** Key for everything else, shared by {@code C'} and {@code S'}. */
	private byte[] key = new byte[0];

	/** {@code s'}, this side's secret key for this connection. */
	private byte[] secretKey = new byte[0];

	private byte[] cookie = new byte[0];

	private Bytes peer = Bytes.EMPTY;

	/** Latest counter received from the client. */
	private long counter;

	CurveServerHandshake(CurveSecurity security, Events events, String socketType) {
		super(security, events, "CurveZMQMESSAGES", "CurveZMQMESSAGEC");
		this.socketType = socketType;
	}

	@Override
	byte @Nullable [] received(byte[] command) {
		return (this.firstKey.length == 0) ? hello(command) : initiate(command);
	}

	private byte @Nullable [] hello(byte[] hello) {
		if (hello.length != HELLO_LENGTH || !isCommand(hello, HELLO) || hello[6] != 1 || hello[7] != 0) {
			return refuse(Refusal.CURVE_VIOLATION, "");
		}
		this.clientKey = Arrays.copyOfRange(hello, 80, 112);
		this.counter = ByteBuffer.wrap(hello).getLong(112);
		byte[] shared = CurveBox.sharedKey(this.clientKey, this.security.keys().secretKey());
		byte[] text = (shared != null)
				? CurveBox.open(hello, 120, 80, CurveBox.nonce("CurveZMQHELLO---", this.counter), shared) : null;
		if (shared == null || text == null || !Arrays.equals(text, new byte[64])) {
			refuse(Refusal.WRONG_SERVER_KEY, Z85.encode(this.security.keys().publicKey()));
			// No error code, because the peer has not proven that it knows the public
			// key.
			return error("");
		}
		this.firstKey = shared;
		return welcome();
	}

	private byte @Nullable [] initiate(byte[] initiate) {
		if (initiate.length > MAX_INITIATE || initiate.length < INITIATE_BOX + CurveBox.OVERHEAD + CurveBox.KEY + VOUCH
				|| !isCommand(initiate, INITIATE) || !isEqual(initiate, INITIATE.length, this.cookie)) {
			return refuse(Refusal.CURVE_VIOLATION, "");
		}
		long counter = ByteBuffer.wrap(initiate).getLong(INITIATE_BOX - Long.BYTES);
		byte[] text = (Long.compareUnsigned(counter, this.counter) > 0) ? CurveBox.open(initiate, INITIATE_BOX,
				initiate.length - INITIATE_BOX, CurveBox.nonce("CurveZMQINITIATE", counter), this.key) : null;
		if (text == null || !isVouched(text)) {
			return refuse(Refusal.CURVE_VIOLATION, "");
		}
		this.counter = counter;
		this.peer = Bytes.wrap(Arrays.copyOf(text, CurveBox.KEY));
		if (!this.security.isKnown(this.peer)) {
			refuse(Refusal.KEY_NOT_ALLOWED, Z85.encode(this.peer) + " to " + this.security.peersFile());
			return error("400");
		}
		if (!isCompatible(text, CurveBox.KEY + VOUCH)) {
			return refuse(Refusal.CURVE_VIOLATION, "");
		}
		return ready();
	}

	/** Returns whether the owner of {@code C} has made this connection to this server. */
	private boolean isVouched(byte[] text) {
		byte[] shared = CurveBox.sharedKey(Arrays.copyOf(text, CurveBox.KEY), this.secretKey);
		byte[] vouch = (shared != null) ? CurveBox.open(text, CurveBox.KEY + 16, VOUCH - 16,
				CurveBox.nonce("VOUCH---", text, CurveBox.KEY), shared) : null;
		return vouch != null && isEqual(vouch, 0, this.clientKey)
				&& isEqual(vouch, CurveBox.KEY, this.security.keys().publicKey().unwrap());
	}

	/** Compares part of an array in constant time. */
	private static boolean isEqual(byte[] array, int offset, byte[] expected) {
		return MessageDigest.isEqual(Arrays.copyOfRange(array, offset, offset + expected.length), expected);
	}

	private byte[] ready() {
		long counter = nextCounter();
		byte[] box = CurveBox.seal(Metadata.of(this.socketType), CurveBox.nonce("CurveZMQREADY---", counter), this.key);
		ready(this.peer, this.key, this.counter);
		return concat(READY, bytes(counter), box);
	}

	private byte @Nullable [] welcome() {
		this.secretKey = CurveBox.random(CurveBox.KEY);
		byte[] shared = CurveBox.sharedKey(this.clientKey, this.secretKey);
		if (shared == null) {
			return fail();
		}
		this.key = shared;
		// In the RFC, the cookie holds the handshake's state. Here, this object holds the
		// state, and the client only has to return the cookie.
		this.cookie = CurveBox.random(COOKIE);
		byte[] text = concat(CurveBox.publicKey(this.secretKey), this.cookie);
		byte[] nonce = CurveBox.random(16);
		byte[] box = CurveBox.seal(text, CurveBox.nonce("WELCOME-", nonce, 0), this.firstKey);
		return concat(WELCOME, nonce, box);
	}

}

package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Client side of a CURVE handshake (ZeroMQ RFC 26). Accepts only the key that the peer
 * has announced. The letters in comments are explained in {@link CurveServerHandshake}.
 */
final class CurveClientHandshake extends CurveHandshake {

	private static final int WELCOME_LENGTH = 168;

	/** Maximum length of READY, with 256 bytes of metadata. */
	private static final int MAX_READY = 14 + CurveBox.OVERHEAD + 256;

	private final String socketType;

	/** {@code S}; {@code null} if no known peer has announced the endpoint. */
	private final @Nullable Bytes expected;

	/** {@code c'}, this side's secret key for this connection. */
	private final byte[] secretKey = CurveBox.random(CurveBox.KEY);

	/** {@code C'}, this side's public key for this connection. */
	private final byte[] publicKey = CurveBox.publicKey(this.secretKey);

	/** Key for HELLO and WELCOME, shared by {@code C'} and {@code S}. */
	private byte[] firstKey = new byte[0];

	/** {@code S'}, the server's public key for this connection. */
	private byte[] serverKey = new byte[0];

	private byte[] cookie = new byte[0];

	/** Key for everything else, shared by {@code C'} and {@code S'}. */
	private byte[] key = new byte[0];

	CurveClientHandshake(String endpoint, CurveSecurity security, Events events, String socketType) {
		super(security, events, "CurveZMQMESSAGEC", "CurveZMQMESSAGES");
		this.socketType = socketType;
		this.expected = security.expected(endpoint);
	}

	@Override
	byte @Nullable [] start() {
		byte[] shared = (this.expected != null) ? CurveBox.sharedKey(this.expected.unwrap(), this.secretKey) : null;
		if (shared == null) {
			return refuse(Refusal.UNKNOWN_PEER, String.valueOf(this.security.peersFile()));
		}
		this.firstKey = shared;
		long counter = nextCounter();
		byte[] box = CurveBox.seal(new byte[64], CurveBox.nonce("CurveZMQHELLO---", counter), shared);
		return concat(HELLO, new byte[] { 1, 0 }, new byte[72], this.publicKey, bytes(counter), box);
	}

	private byte @Nullable [] initiate() {
		byte[] vouchKey = CurveBox.sharedKey(this.serverKey, this.security.keys().secretKey());
		if (vouchKey == null || this.expected == null) {
			return fail();
		}
		byte[] vouchNonce = CurveBox.random(16);
		byte[] vouch = concat(this.publicKey, this.expected.unwrap());
		byte[] text = concat(this.security.keys().publicKey().unwrap(), vouchNonce,
				CurveBox.seal(vouch, CurveBox.nonce("VOUCH---", vouchNonce, 0), vouchKey),
				Metadata.of(this.socketType));
		long counter = nextCounter();
		byte[] box = CurveBox.seal(text, CurveBox.nonce("CurveZMQINITIATE", counter), this.key);
		return concat(INITIATE, this.cookie, bytes(counter), box);
	}

	@Override
	byte @Nullable [] received(byte[] command) {
		if (isError(command)) {
			return refuse(isWelcomed() ? Refusal.REFUSED_BY_PEER : Refusal.WRONG_PEER_KEY, keys());
		}
		if (!isWelcomed()) {
			return welcome(command) ? initiate() : refuse(Refusal.WRONG_PEER_KEY, keys());
		}
		return ready(command) ? null : refuse(Refusal.WRONG_PEER_KEY, keys());
	}

	private String keys() {
		return isWelcomed() ? Z85.encode(this.security.keys().publicKey())
				: (this.expected != null) ? Z85.encode(this.expected) : "";
	}

	private boolean isWelcomed() {
		return this.key.length > 0;
	}

	private boolean welcome(byte[] welcome) {
		byte[] text = (welcome.length == WELCOME_LENGTH && isCommand(welcome, WELCOME))
				? CurveBox.open(welcome, 24, 144, CurveBox.nonce("WELCOME-", welcome, 8), this.firstKey) : null;
		if (text == null) {
			return false;
		}
		this.serverKey = Arrays.copyOf(text, CurveBox.KEY);
		this.cookie = Arrays.copyOfRange(text, CurveBox.KEY, text.length);
		byte[] shared = CurveBox.sharedKey(this.serverKey, this.secretKey);
		if (shared == null) {
			return false;
		}
		this.key = shared;
		return true;
	}

	private boolean ready(byte[] ready) {
		if (ready.length > MAX_READY || ready.length < 14 + CurveBox.OVERHEAD || !isCommand(ready, READY)) {
			return false;
		}
		long counter = ByteBuffer.wrap(ready).getLong(READY.length);
		byte[] text = CurveBox.open(ready, 14, ready.length - 14, CurveBox.nonce("CurveZMQREADY---", counter),
				this.key);
		if (text == null || this.expected == null || !isCompatible(text, 0)) {
			return false;
		}
		ready(this.expected, this.key, counter);
		return true;
	}

}

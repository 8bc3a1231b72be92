package io.statestore.dafka.node.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.statestore.dafka.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Both sides of CURVE and everything that a peer without a key can send to them. */
@Timeout(60)
class CurveHandshakeTests {

	private static final String ENDPOINT = "tcp://127.0.0.1:1";

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path directory;

	private final List<Refusal> refusals = new ArrayList<>();

	private final List<AutoCloseable> resources = new ArrayList<>();

	@SuppressWarnings("NullAway.Init")
	private TestKeys keys;

	@SuppressWarnings("NullAway.Init")
	private CurveSecurity client;

	@SuppressWarnings("NullAway.Init")
	private CurveSecurity server;

	@BeforeEach
	void open() {
		this.keys = new TestKeys(this.directory, "client", "server");
		this.client = security("client");
		this.server = security("server");
		this.client.add(ENDPOINT, this.server.announcement("id"));
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	private CurveSecurity security(String name) {
		CurveSecurity security = Objects.requireNonNull(CurveSecurity.of(this.keys.options(name), 0));
		this.resources.add(security);
		return security;
	}

	@Test
	void exchangesMessages() {
		Pair pair = new Pair();
		pair.shakeHands();
		assertThat(pair.client.status()).isEqualTo(CurveHandshake.Status.READY);
		assertThat(pair.server.status()).isEqualTo(CurveHandshake.Status.READY);
		assertThat(pair.server.peer()).isEqualTo(this.client.keys().publicKey());
		byte[] text = "text".getBytes(StandardCharsets.US_ASCII);
		assertThat(pair.server.decode(pair.client.encode(FrameDecoder.MORE, text))).isEqualTo(text);
		assertThat(pair.server.flags()).isEqualTo(FrameDecoder.MORE);
		assertThat(pair.client.decode(pair.server.encode(FrameDecoder.COMMAND, new byte[0]))).isEmpty();
		assertThat(pair.client.flags()).isEqualTo(FrameDecoder.COMMAND);
	}

	@Test
	void refusesChangedHandshake() {
		Random random = new Random(1);
		for (int step = 0; step < 4; step++) {
			for (int i = 0; i < 25; i++) {
				int changed = step;
				Pair pair = new Pair();
				pair.shakeHands((index, command) -> (index == changed) ? damaged(command, random) : command);
				// The padding of HELLO has no meaning.
				boolean both = pair.client.status() == CurveHandshake.Status.READY
						&& pair.server.status() == CurveHandshake.Status.READY;
				assertThat(both && pair.damagedOffset(step)).as("step " + step).isFalse();
			}
		}
	}

	private int latestOffset;

	private byte[] damaged(byte[] command, Random random) {
		byte[] result = command.clone();
		this.latestOffset = random.nextInt(command.length);
		switch (random.nextInt(4)) {
			case 0 -> result = Arrays.copyOf(command, this.latestOffset);
			case 1 -> result = Arrays.copyOf(command, command.length + 1 + random.nextInt(500));
			default -> result[this.latestOffset] ^= (byte) (1 << random.nextInt(8));
		}
		return result;
	}

	@Test
	void refusesReadyBeforeWelcome() {
		// A server without any key could encrypt with the initial key, which JeroMQ 0.6.0
		// would accept.
		byte[] metadata = Metadata.of("XPUB");
		byte[] box = CurveBox.seal(metadata, CurveBox.nonce("CurveZMQREADY---", 1), new byte[32]);
		byte[] ready = ByteBuffer.allocate(14 + box.length)
			.put(CurveHandshake.name("READY"))
			.putLong(1)
			.put(box)
			.array();
		Pair pair = new Pair();
		assertThat(pair.client.start()).isNotNull();
		assertThat(pair.client.process(ready)).isNull();
		assertThat(pair.client.status()).isEqualTo(CurveHandshake.Status.ERROR);
		assertThat(this.refusals).containsExactly(Refusal.WRONG_PEER_KEY);
	}

	@Test
	void refusesPredictableKey() {
		byte[] predictable = new byte[32];
		byte[] shared = new byte[32];
		com.neilalexander.jnacl.crypto.curve25519xsalsa20poly1305.crypto_box_beforenm(shared, predictable,
				CurveBox.random(32));
		byte[] box = CurveBox.seal(new byte[64], CurveBox.nonce("CurveZMQHELLO---", 1), shared);
		byte[] hello = ByteBuffer.allocate(200)
			.put(CurveHandshake.name("HELLO"))
			.put((byte) 1)
			.put((byte) 0)
			.position(80)
			.put(predictable)
			.putLong(1)
			.put(box)
			.array();
		Pair pair = new Pair();
		assertThat(pair.server.process(hello)).startsWith(CurveHandshake.name("ERROR"));
		assertThat(this.refusals).containsExactly(Refusal.WRONG_SERVER_KEY);
	}

	@Test
	void refusesForgedKeyBeforeListIsRead() {
		// Otherwise, the message would ask to add a key that the peer does not own.
		Pair pair = new Pair();
		assertThat(initiate(pair, CurveBox.random(32), this.client.keys().secretKey(), 2)).isFalse();
		assertThat(this.refusals).containsExactly(Refusal.CURVE_VIOLATION);
		Pair other = new Pair();
		assertThat(initiate(other, this.client.keys().publicKey().unwrap(), CurveBox.random(32), 2)).isFalse();
		assertThat(this.refusals).hasSize(2).containsOnly(Refusal.CURVE_VIOLATION);
	}

	@Test
	void requiresIncreasingCounterInHandshake() {
		byte[] publicKey = this.client.keys().publicKey().unwrap();
		byte[] secretKey = this.client.keys().secretKey();
		assertThat(initiate(new Pair(), publicKey, secretKey, 2)).isTrue();
		assertThat(initiate(new Pair(), publicKey, secretKey, 1)).isFalse();
		assertThat(initiate(new Pair(), publicKey, secretKey, 0)).isFalse();
		assertThat(this.refusals).hasSize(2).containsOnly(Refusal.CURVE_VIOLATION);
	}

	/**
	 * Sends HELLO with counter 1, then INITIATE with another counter and any keys.
	 * Returns whether both were accepted.
	 */
	private boolean initiate(Pair pair, byte[] claimedKey, byte[] secretKey, long counter) {
		byte[] serverKey = this.server.keys().publicKey().unwrap();
		byte[] secret = CurveBox.random(32);
		byte[] own = CurveBox.publicKey(secret);
		byte[] first = Objects.requireNonNull(CurveBox.sharedKey(serverKey, secret));
		byte[] hello = ByteBuffer.allocate(200)
			.put(CurveHandshake.name("HELLO"))
			.put((byte) 1)
			.position(80)
			.put(own)
			.putLong(1)
			.put(CurveBox.seal(new byte[64], CurveBox.nonce("CurveZMQHELLO---", 1), first))
			.array();
		byte[] welcome = Objects.requireNonNull(pair.server.process(hello));
		byte[] text = Objects
			.requireNonNull(CurveBox.open(welcome, 24, 144, CurveBox.nonce("WELCOME-", welcome, 8), first));
		byte[] connectionKey = Arrays.copyOf(text, 32);
		byte[] vouch = ByteBuffer.allocate(64).put(own).put(serverKey).array();
		byte[] vouchKey = Objects.requireNonNull(CurveBox.sharedKey(connectionKey, secretKey));
		byte[] metadata = Metadata.of("SUB");
		byte[] content = ByteBuffer.allocate(128 + metadata.length)
			.put(claimedKey)
			.put(new byte[16])
			.put(CurveBox.seal(vouch, CurveBox.nonce("VOUCH---", new byte[16], 0), vouchKey))
			.put(metadata)
			.array();
		byte[] box = CurveBox.seal(content, CurveBox.nonce("CurveZMQINITIATE", counter),
				Objects.requireNonNull(CurveBox.sharedKey(connectionKey, secret)));
		pair.server.process(ByteBuffer.allocate(113 + box.length)
			.put(CurveHandshake.name("INITIATE"))
			.put(text, 32, 96)
			.putLong(counter)
			.put(box)
			.array());
		return pair.server.status() == CurveHandshake.Status.READY;
	}

	@Test
	void refusesReplayedHandshake() {
		List<byte[]> recorded = new ArrayList<>();
		new Pair().shakeHands((index, command) -> {
			recorded.add(command);
			return command;
		});
		Pair replay = new Pair();
		assertThat(replay.server.process(recorded.get(0))).isNotNull();
		assertThat(replay.server.process(recorded.get(2))).isNull();
		assertThat(replay.server.status()).isEqualTo(CurveHandshake.Status.ERROR);
	}

	@Test
	void refusesReplayedChangedAndReflectedMessages() {
		Pair pair = new Pair();
		pair.shakeHands();
		byte[] first = pair.client.encode(0, new byte[] { 1 });
		assertThat(pair.server.decode(first.clone())).isNotNull();
		assertThat(pair.server.decode(first.clone())).as("replayed").isNull();
		byte[] changed = pair.client.encode(0, new byte[] { 1 });
		changed[changed.length - 1]++;
		assertThat(pair.server.decode(changed)).as("changed").isNull();
		byte[] own = pair.server.encode(0, new byte[] { 1 });
		ByteBuffer.wrap(own).putLong(8, 100);
		assertThat(pair.server.decode(own)).as("reflected").isNull();
		assertThat(pair.server.decode(new byte[0])).as("empty").isNull();
		assertThat(this.refusals).hasSize(4).containsOnly(Refusal.CURVE_VIOLATION);
	}

	@Test
	void refusesUnknownClient() {
		this.keys.stranger("stranger");
		CurveSecurity stranger = security("stranger");
		stranger.add(ENDPOINT, this.server.announcement("id"));
		Pair pair = new Pair(stranger, this.server);
		pair.shakeHands();
		assertThat(pair.server.status()).isEqualTo(CurveHandshake.Status.ERROR);
		assertThat(this.refusals).containsExactly(Refusal.KEY_NOT_ALLOWED, Refusal.REFUSED_BY_PEER);
	}

	@Test
	void refusesServerWithAnotherKey() {
		Pair pair = new Pair(this.client, security("client"));
		pair.shakeHands();
		assertThat(this.refusals).containsExactly(Refusal.WRONG_SERVER_KEY, Refusal.WRONG_PEER_KEY);
	}

	@Test
	void triesEachAnnouncedKey() {
		this.client.add(ENDPOINT, this.client.announcement("other"));
		assertThat(List.of(Objects.requireNonNull(this.client.expected(ENDPOINT)),
				Objects.requireNonNull(this.client.expected(ENDPOINT))))
			.containsExactlyInAnyOrder(this.client.keys().publicKey(), this.server.keys().publicKey());
		this.client.remove(ENDPOINT, this.client.announcement("other"));
		assertThat(this.client.expected(ENDPOINT)).isEqualTo(this.server.keys().publicKey());
	}

	@Test
	void triesKeyThatAnotherNodeTriesToDisplace() {
		for (int i = 0; i < 50; i++) {
			this.client.add(ENDPOINT, this.client.announcement("other" + i));
		}
		assertThat(List.of(Objects.requireNonNull(this.client.expected(ENDPOINT)),
				Objects.requireNonNull(this.client.expected(ENDPOINT))))
			.contains(this.server.keys().publicKey());
		for (int i = 0; i < 49; i++) {
			this.client.remove(ENDPOINT, this.client.announcement("other" + i));
		}
		assertThat(List.of(Objects.requireNonNull(this.client.expected(ENDPOINT)),
				Objects.requireNonNull(this.client.expected(ENDPOINT))))
			.contains(this.client.keys().publicKey());
	}

	@Test
	void sendsNothingToUnknownServer() {
		this.client.remove(ENDPOINT, this.server.announcement("id"));
		Pair pair = new Pair();
		assertThat(pair.client.start()).isNull();
		assertThat(pair.client.status()).isEqualTo(CurveHandshake.Status.ERROR);
		assertThat(this.refusals).containsExactly(Refusal.UNKNOWN_PEER);
	}

	@Test
	void connectsToAnnouncedKeysOnly() {
		assertThat(this.client.expected("tcp://127.0.0.1:2")).isNull();
		assertThat(this.client.accepts(Bytes.of("0123456789ABCDEF0123456789ABCDEF"))).isFalse();
		assertThat(this.client.accepts(Bytes.of("short"))).isFalse();
		assertThat(this.client.accepts(this.server.announcement("id"))).isTrue();
	}

	/** Client and server of a connection. */
	private final class Pair implements CurveHandshake.Events {

		private final CurveHandshake client;

		private final CurveHandshake server;

		Pair() {
			this(CurveHandshakeTests.this.client, CurveHandshakeTests.this.server);
		}

		Pair(CurveSecurity client, CurveSecurity server) {
			this.client = new CurveClientHandshake(ENDPOINT, client, this, "SUB");
			this.server = new CurveServerHandshake(server, this, "XPUB");
		}

		/** Returns whether a change at the latest offset must be detected. */
		boolean damagedOffset(int step) {
			int offset = CurveHandshakeTests.this.latestOffset;
			return step != 0 || offset < 8 || offset >= 80;
		}

		void shakeHands() {
			shakeHands((index, command) -> command);
		}

		void shakeHands(Wire wire) {
			byte[] command = this.client.start();
			for (int i = 0; command != null; i++) {
				command = ((i % 2 == 0) ? this.server : this.client).process(wire.transfer(i, command));
			}
		}

		@Override
		public void refused(Refusal refusal, String detail) {
			CurveHandshakeTests.this.refusals.add(refusal);
		}

		@Override
		public boolean isCompatible(String peerType) {
			return List.of("SUB", "XPUB").contains(peerType);
		}

	}

	/** Transfers commands and may change them. */
	private interface Wire {

		byte[] transfer(int index, byte[] command);

	}

}

package io.statestore.dafka.node.internal;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.NodeOptions;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Key files and the list of peers. */
@Timeout(60)
class CurveFilesTests {

	private static final String KEY = Z85.encode(Bytes.wrap(new byte[32]));

	private static final Duration NEVER = Duration.ofDays(1);

	@TempDir
	Path directory;

	@Test
	void createsKeysReadableByOwnerOnly() throws Exception {
		KeyDirectory keys = new KeyDirectory(this.directory.resolve("new"));
		keys.create(List.of("tower", "press-1"), false);
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.secretKey("press-1"))))
			.isEqualTo("rw-------");
		assertThat(KnownPeers.read(keys.peers())).hasSize(2)
			.containsEntry("press-1", CurveKeyPair.read(keys.secretKey("press-1")).publicKey());
		assertThat(Files.readString(this.directory.resolve("new/press-1.key"))).doesNotContain("secret-key");
		try (var files = Files.list(this.directory.resolve("new"))) {
			assertThat(files).hasSize(6);
		}
		CurveOptions options = CurveOptions.of(keys.secretKey("press-1"), keys.peers());
		assertThat(NodeOptions.builder().tower("tower").curve(options).build().curve()).isEqualTo(options);
	}

	@Test
	void replacesKeysOnlyWithForce() throws Exception {
		KeyDirectory keys = new KeyDirectory(this.directory);
		keys.create(List.of("tower", "press-1"), false);
		String before = Files.readString(keys.secretKey("press-1"));
		assertThatExceptionOfType(DafkaException.class).isThrownBy(() -> keys.create(List.of("new", "press-1"), false))
			.withMessageContaining("press-1.key_secret")
			.withMessageContaining("--force");
		assertThat(keys.secretKey("new")).doesNotExist();
		assertThat(Files.readString(keys.secretKey("press-1"))).isEqualTo(before);
		keys.create(List.of("press-1"), true);
		assertThat(Files.readString(keys.secretKey("press-1"))).isNotEqualTo(before);
		assertThat(KnownPeers.read(keys.peers())).containsOnlyKeys("tower", "press-1")
			.containsEntry("press-1", CurveKeyPair.read(keys.secretKey("press-1")).publicKey());
	}

	@Test
	void concurrentCreationKeepsAllPeers() throws Exception {
		List<String> names = IntStream.range(0, 12).mapToObj((i) -> "node-" + i).toList();
		ExecutorService threads = Executors.newFixedThreadPool(names.size());
		try {
			List<Future<?>> created = new ArrayList<>();
			for (String name : names) {
				created.add(threads.submit(() -> new KeyDirectory(this.directory).create(List.of(name), false)));
			}
			for (Future<?> future : created) {
				future.get();
			}
		}
		finally {
			threads.shutdown();
		}
		assertThat(KnownPeers.read(this.directory.resolve("peers"))).containsOnlyKeys(names);
	}

	@Test
	void createsKeysAfterAnotherProgramWasKilled() throws Exception {
		Files.createFile(this.directory.resolve("peers.lock"));
		new KeyDirectory(this.directory).create(List.of("press-1"), false);
		assertThat(KnownPeers.read(this.directory.resolve("peers"))).containsOnlyKeys("press-1");
	}

	@Test
	void refusesRepeatedName() throws Exception {
		Path file = Files.writeString(this.directory.resolve("peers"), "a " + KEY + "\na " + KEY);
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> KnownPeers.read(file))
			.withMessageContaining("line 2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "public-key = \"0000\"", "secret-key = \"short\"",
			"secret-key = \"0000\"\npublic-key = \"0000\"" })
	void refusesMalformedKey(String content) throws Exception {
		Path file = Files.writeString(this.directory.resolve("key"), content.replace("0000", KEY));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> CurveKeyPair.read(file))
			.withMessageStartingWith("'curve.keyFile' is '" + file)
			.withMessageNotContaining(KEY);
	}

	@Test
	void refusesMissingTower() {
		TestKeys keys = new TestKeys(this.directory, "press-1");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> CurveSecurity.check(keys.options("press-1"), 1))
			.withMessageContaining("curve.towers")
			.withMessageContaining("does not contain 'tower'");
	}

	@Test
	void hidesSecretKey() {
		CurveKeyPair keys = CurveKeyPair.generate();
		assertThat(keys.toString()).contains(Z85.encode(keys.publicKey())).doesNotContain(Z85.encode(keys.secretKey()));
	}

	@Test
	void followsListChanges() throws Exception {
		TestKeys keys = new TestKeys(this.directory, "tower");
		try (KnownPeers peers = new KnownPeers(keys.peersFile(), NEVER)) {
			Bytes added = keys.add("press-1").publicKey();
			peers.refresh();
			assertThat(peers.contains(added)).isTrue();
			Files.writeString(keys.peersFile(), "malformed");
			peers.refresh();
			assertThat(peers.contains(added)).isTrue();
			keys.remove("press-1");
			peers.refresh();
			assertThat(peers.contains(added)).isFalse();
			assertThat(peers.key("tower")).isNotNull();
		}
	}

	@Test
	void followsChangesAfterOversizedList() throws Exception {
		TestKeys keys = new TestKeys(this.directory, "tower");
		try (KnownPeers peers = new KnownPeers(keys.peersFile(), NEVER)) {
			try (RandomAccessFile file = new RandomAccessFile(keys.peersFile().toFile(), "rw")) {
				// More than an array can contain, but without using disk space.
				file.setLength(3L << 30);
			}
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> KnownPeers.read(keys.peersFile()))
				.withMessageContaining("too large");
			peers.refresh();
			assertThat(peers.key("tower")).isNotNull();
			Bytes added = keys.add("press-1").publicKey();
			peers.refresh();
			assertThat(peers.contains(added)).isTrue();
		}
	}

	@Test
	void encodesRfcExample() {
		// The example in ZeroMQ RFC 32 has eight bytes; a key has four times as many.
		byte[] bytes = { (byte) 0x86, 0x4F, (byte) 0xD2, 0x6F, (byte) 0xB5, 0x59, (byte) 0xF7, 0x5B };
		assertThat(Z85.encode(bytes)).isEqualTo("HelloWorld");
	}

	@Property(tries = 200)
	void decodesEncodedKey(@ForAll @Size(32) byte[] key) {
		assertThat(Z85.decode(Z85.encode(key))).isEqualTo(key);
	}

	@Property(tries = 200)
	void neverThrowsForAnyString(@ForAll String text) {
		Z85.decode(text);
		Z85.decode((text + "#".repeat(40)).substring(0, 40));
	}

}

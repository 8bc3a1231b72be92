package io.statestore.dafka.endtoend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.node.internal.TestKeys;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** CURVE connections to and from libzmq, which runs in a separate process. */
@Timeout(120)
class LibzmqTests {

	private static final String PYTHON = "/usr/bin/python3";

	@TempDir
	Path directory;

	@Tag("long")
	@Test
	void exchangesRecordsInBothDirections() throws Exception {
		assumeThat(hasLibzmq()).as("libzmq for Python, in the Debian package python3-zmq").isTrue();
		TestKeys keys = new TestKeys(this.directory, "producer", "consumer");
		TestKeys.Pair towerKeys = keys.add("tower");
		TestKeys.Pair libzmqKeys = keys.add("libzmq");
		Set<String> received = ConcurrentHashMap.newKeySet();
		try (Tower tower = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(0)
			.outPort(0)
			.curve(keys.options("tower"))
			.start()) {
			NodeOptions.Builder options = NodeOptions.builder()
				.tower(tower.address())
				.bindHost("127.0.0.1")
				.beaconInterval(Duration.ofMillis(50));
			Path printed = this.directory.resolve("printed");
			Process process = start(printed, tower.address().inPort(), tower.address().outPort(),
					TestBeacons.z85(towerKeys.publicKey()), TestBeacons.z85(libzmqKeys.publicKey()),
					TestBeacons.z85(Bytes.wrap(libzmqKeys.secretKey())));
			try (Producer producer = Producer.builder(options.curve(keys.options("producer")).build())
				.headInterval(Duration.ofMillis(100))
				.closeTimeout(Duration.ZERO)
				.start();
					Consumer consumer = Consumer.builder(options.curve(keys.options("consumer")).build())
						.topics("topic")
						.start((record) -> received.add(record.content().toText()))) {
				await("libzmq to Java")
					.until(() -> received.stream().anyMatch((text) -> text.startsWith("from libzmq")));
				await("Java to libzmq").until(() -> {
					producer.send("topic", Bytes.of("from Java"));
					return Files.readString(printed).contains("from Java");
				});
				assertThat(consumer.metrics().node().refused()).isZero();
			}
			finally {
				process.destroyForcibly().waitFor();
			}
		}
	}

	private Process start(Path printed, Object... arguments) throws IOException {
		Path script = this.directory.resolve("node.py");
		try (var source = Objects.requireNonNull(LibzmqTests.class.getResourceAsStream("libzmq_node.py"))) {
			Files.copy(source, script);
		}
		List<String> command = new java.util.ArrayList<>(List.of(PYTHON, script.toString()));
		for (Object argument : arguments) {
			command.add(argument.toString());
		}
		return new ProcessBuilder(command).redirectOutput(printed.toFile())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	private static boolean hasLibzmq() throws Exception {
		if (!Files.isExecutable(Path.of(PYTHON))) {
			return false;
		}
		Process process = new ProcessBuilder(PYTHON, "-c", "import zmq; assert zmq.has('curve')")
			.redirectErrorStream(true)
			.start();
		new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return process.waitFor() == 0;
	}

}

package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A broker whose wall clock is set while clients are connected. */
@Tag("long")
class ClockJumpTests {

	@TempDir
	Path directory;

	@Test
	void clockSetForwardKeepsIdleClientsConnected() throws Exception {
		Path clock = Files.writeString(this.directory.resolve("clock"), "+0\n");
		Map<String, String> environment = Map.of("LD_PRELOAD", libfaketime().toString(), "FAKETIME_TIMESTAMP_FILE",
				clock.toString(), "FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1");
		try (StandaloneProcess broker = StandaloneProcess.start(environment, "--port", "0");
				RawMqttConnection client = RawMqttConnection.connected(broker.port(), "idle")) {
			// Artemis checks connections twice a second. The first check after a packet
			// does not compare times.
			TimeUnit.SECONDS.sleep(2);
			Files.writeString(clock, "+600\n");
			TimeUnit.SECONDS.sleep(2);
			client.ping();
		}
	}

	private static Path libfaketime() throws IOException {
		try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 3,
				(file, attributes) -> file.endsWith("faketime/libfaketimeMT.so.1"))) {
			Optional<Path> found = files.findFirst();
			assumeTrue(found.isPresent(), "skipped: no libfaketime in /usr/lib; install Debian's 'faketime'");
			return found.orElseThrow();
		}
	}

}

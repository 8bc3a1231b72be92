package io.statestore.broker.standalone;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.Faketime;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a broker whose wall clock is set while clients are connected. */
@Tag("long")
@Tag("nightly")
@RequiresProgram("faketime")
class ClockJumpTests {

	@TempDir
	Path directory;

	@Test
	void clockSetForwardKeepsIdleClientsConnected() throws Exception {
		Path clock = Files.writeString(this.directory.resolve("clock"), "+0\n");
		try (StandaloneProcess broker = StandaloneProcess.start(Faketime.file(clock), "--port", "0");
				RawMqttConnection client = RawMqttConnection.connected(broker.port(), "idle")) {
			TimeUnit.SECONDS.sleep(2);
			Files.writeString(clock, "+600\n");
			TimeUnit.SECONDS.sleep(2);
			client.ping();
		}
	}

}

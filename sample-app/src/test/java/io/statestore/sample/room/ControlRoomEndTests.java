package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.sample.Ports;
import io.statestore.sample.SampleApplication;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Presses and brokers end with their control room's process, even if they are paused.
 */
@Tag("long")
@Timeout(120)
@Tag("nightly")
class ControlRoomEndTests {

	private @Nullable JavaProcess room;

	private List<ProcessHandle> processes = List.of();

	/** Starts a control room and pauses one of its presses. */
	private JavaProcess start(Path directory, String pause, int brokers) {
		JavaProcess room = JavaProcess.of(SampleApplication.class)
			.withoutTests()
			.arguments("--server.port=0", "--statestore.port=" + Ports.free(6), "--sample.directory=" + directory,
					"--sample.pause=" + pause, "--sample.brokers=" + brokers)
			.start();
		this.room = room;
		String url = "http://127.0.0.1:" + room.await("Tomcat started on port (\\d+)").group(1);
		room.await("press-1 \\| .*Started SampleApplication");
		room.await("press-2 \\| .*Started SampleApplication");
		this.processes = ProcessHandle.of(Long.parseLong(room.await("with PID (\\d+)").group(1)))
			.orElseThrow()
			.children()
			.filter((process) -> process.info().command().orElse("").endsWith("java"))
			.toList();
		assertThat(this.processes).hasSize((brokers > 1) ? 2 + brokers : 2);
		RestClient.create(url)
			.post()
			.uri("/presses/press-1/pause")
			.header("X-Requested-With", "test")
			.retrieve()
			.toBodilessEntity();
		return room;
	}

	@AfterEach
	void close() {
		if (this.room != null) {
			this.room.close();
		}
		this.processes.forEach(ProcessHandle::destroyForcibly);
	}

	@Test
	void pressesEndWithControlRoomBeforePause(@TempDir Path directory) {
		JavaProcess room = start(directory, "10m", 1);
		room.terminate();
		room.awaitExit();
		awaitEndOfProcesses();
	}

	@Test
	void pressesAndBrokersEndAfterControlRoomWasKilled(@TempDir Path directory) {
		start(directory, "12s", 3).kill();
		awaitEndOfProcesses();
	}

	private void awaitEndOfProcesses() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.processes.stream().noneMatch(ProcessHandle::isAlive));
	}

}

package io.statestore.sample.room;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.sample.SampleApplication;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** Presses end with the process of their control room, even if they are paused. */
@Tag("long")
@Timeout(120)
class ControlRoomEndTests {

	private JavaProcess room;

	private List<ProcessHandle> presses;

	@BeforeEach
	void start(@TempDir Path directory) throws IOException {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		this.room = JavaProcess.of(SampleApplication.class)
			.withoutTests()
			.arguments("--server.port=0", "--statestore.port=" + port, "--sample.directory=" + directory)
			.start();
		String url = "http://127.0.0.1:" + this.room.await("Tomcat started on port (\\d+)").group(1);
		this.room.await("press-1 \\| .*Started SampleApplication");
		this.room.await("press-2 \\| .*Started SampleApplication");
		this.presses = ProcessHandle.of(pid())
			.orElseThrow()
			.children()
			.filter((process) -> process.info().command().orElse("").endsWith("java"))
			.toList();
		assertThat(this.presses).hasSize(2);
		RestClient.create(url)
			.post()
			.uri("/presses/press-1/pause")
			.header("HX-Request", "true")
			.retrieve()
			.toBodilessEntity();
	}

	private long pid() {
		return Long.parseLong(this.room.await("with PID (\\d+)").group(1));
	}

	@AfterEach
	void close() {
		this.room.close();
		this.presses.forEach(ProcessHandle::destroyForcibly);
	}

	@Test
	void pressesEndAtOnceWithControlRoom() {
		this.room.terminate();
		this.room.awaitExit();
		Awaitility.await()
			.atMost(Duration.ofSeconds(5))
			.until(() -> this.presses.stream().noneMatch(ProcessHandle::isAlive));
	}

	@Test
	void pressesEndAfterControlRoomWasKilled() {
		this.room.kill();
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> this.presses.stream().noneMatch(ProcessHandle::isAlive));
	}

}

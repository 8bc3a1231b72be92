package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HealthCommandTests {

	private final TestCommand command = new TestCommand();

	@Test
	void reportsRunningBroker() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertThat(check(broker.port())).isZero();
		}
	}

	@Test
	void reportsBrokerThatRequiresLogin() {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("press", "sesame").start()) {
			assertThat(check(broker.port())).isZero();
		}
	}

	@Test
	void failsIfNothingListens() throws Exception {
		int port;
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		assertThat(check(port)).isOne();
		assertThat(this.command.errors()).contains("No broker answers on localhost:" + port);
	}

	@ParameterizedTest
	@CsvSource({ "'HTTP/1.1 400', No MQTT 5 broker listens", "'', No MQTT 5 broker listens",
			"' \3\0\210\0', refuses clients", "' \203\1\0\210\0', refuses clients" })
	void failsIfServerDoesNotAcceptClients(String reply, String error) throws Exception {
		try (ServerSocket server = new ServerSocket(0)) {
			CompletableFuture.runAsync(() -> reply(server, reply));
			assertThat(check(server.getLocalPort())).isOne();
			assertThat(this.command.errors()).contains(error);
		}
	}

	@Test
	void failsForInvalidPort() {
		assertThat(check(65536)).isOne();
		assertThat(this.command.errors()).contains("localhost:65536");
	}

	private static void reply(ServerSocket server, String reply) {
		try (Socket socket = server.accept()) {
			socket.getInputStream().readNBytes(15);
			socket.getOutputStream().write(reply.getBytes(StandardCharsets.ISO_8859_1));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private int check(int port) {
		return this.command.run("health", "--port", port);
	}

}

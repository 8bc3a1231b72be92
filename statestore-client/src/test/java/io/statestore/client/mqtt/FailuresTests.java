package io.statestore.client.mqtt;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link Failures}. */
class FailuresTests {

	/**
	 * The thread that reads the alert of the broker closes the socket, while another one
	 * writes the CONNECT.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "Connection reset", "Connection reset by peer", "Broken pipe",
			"Connection or outbound has closed", "Connection or inbound has closed", "Socket is closed" })
	void reportsConnectionClosedByBroker(String message) {
		assertThat(Failures.describe(new IOException(new SocketException(message))))
			.isEqualTo(ConnectionDiagnosis.CLOSED.cause());
	}

	@Test
	void reportsRefusedConnectionAsNotListening() {
		assertThat(Failures.describe(new ConnectException("Connection refused")))
			.isEqualTo(ConnectionDiagnosis.NOT_LISTENING.cause());
	}

	@Test
	void showsMessageOfOtherFailureOfSocket() {
		assertThat(Failures.describe(new SocketException("Network is unreachable")))
			.isEqualTo("Network is unreachable");
	}

}

package io.statestore.client.mqtt.internal;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link Failures}. */
class FailuresTests {

	@ParameterizedTest
	@ValueSource(strings = { "Connection reset", "Connection reset by peer", "Broken pipe" })
	void reportsConnectionClosedByBroker(String message) {
		assertThat(Failures.describe(new IOException(new SocketException(message))))
			.isEqualTo(ConnectionDiagnosis.CLOSED.cause());
	}

	/** The broker may close the connection while the client writes its CONNECT. */
	@Test
	void reportsTlsConnectionClosedDuringConnect() throws Exception {
		ConnectionOptions options = ConnectionOptions.builder()
			.tls(new ConnectionOptions.Tls(SSLContext.getDefault()))
			.build();
		SocketException failure = new SocketException("Broken pipe");
		assertThat(Failures.describe(failure, options)).isEqualTo(ConnectionDiagnosis.TLS_CLOSED.cause());
		assertThat(Failures.nextStep(failure, options)).isEqualTo(ConnectionDiagnosis.TLS_CLOSED.nextStep());
	}

	@Test
	void clusterCanElectLeaderAfterConnectionsThatFailOrEnd() {
		assertThat(Stream.of(new ConnectException("refused"), new EOFException(), new SocketTimeoutException(),
				BrokerException.refused(ReasonCode.USE_ANOTHER_SERVER, null)))
			.allMatch(Failures::canEndByElection);
		assertThat(Stream.of(new SSLHandshakeException("PKIX path building failed"),
				new IOException(new SSLException("no trust")), new TlsExpectedException(),
				BrokerException.refused(0x86, null)))
			.noneMatch(Failures::canEndByElection);
	}

	/** The client has closed this socket itself. */
	@Test
	void doesNotBlameBrokerForSocketClosedByClient() {
		assertThat(Failures.describe(new SocketException("Socket closed"))).isEqualTo("Socket closed");
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

package io.statestore.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class FaultProxyTests {

	private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final FaultProxy proxy = new FaultProxy(this.server.getLocalPort());

	FaultProxyTests() throws IOException {
		this.server.setSoTimeout(30_000);
	}

	@AfterEach
	void close() throws IOException {
		this.proxy.close();
		this.server.close();
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

	@Test
	void forwardsInBothDirections() throws IOException {
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			client.getOutputStream().write(1);
			assertThat(accepted.getInputStream().read()).isEqualTo(1);
			accepted.getOutputStream().write(2);
			assertThat(client.getInputStream().read()).isEqualTo(2);
			accepted.close();
			assertThat(client.getInputStream().read()).isEqualTo(-1);
		}
	}

	@Test
	void cutsAfterBytes() throws IOException {
		this.proxy.cutAfter(3);
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			client.getOutputStream().write(new byte[5]);
			assertThat(accepted.getInputStream().readAllBytes()).hasSize(3);
			assertThat(this.proxy.cuts()).isOne();
		}
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			client.getOutputStream().write(1);
			assertThat(accepted.getInputStream().read()).isEqualTo(1);
		}
	}

	@Test
	void refusesConnectionsWhileBlocked() throws IOException {
		this.proxy.block();
		try (Socket client = connect()) {
			assertThat(isEnded(client)).isTrue();
		}
		this.proxy.unblock();
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			client.getOutputStream().write(1);
			assertThat(accepted.getInputStream().read()).isEqualTo(1);
		}
	}

	private static boolean isEnded(Socket client) {
		try {
			return client.getInputStream().read() == -1;
		}
		catch (IOException ex) {
			return true;
		}
	}

	@Test
	void discardsDataOnlyOnDeadConnections() throws IOException {
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			this.proxy.discard();
			this.proxy.healNewConnections();
			client.getOutputStream().write(1);
			assertSilent(accepted);
			try (Socket other = connect(); Socket otherAccepted = this.server.accept()) {
				other.getOutputStream().write(2);
				assertThat(otherAccepted.getInputStream().read()).isEqualTo(2);
			}
		}
	}

	@Test
	void healingClosesConnectionsThatLostData() throws IOException {
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			this.proxy.discard();
			client.getOutputStream().write(1);
			assertSilent(accepted);
			this.proxy.heal();
			assertThat(isEnded(accepted)).isTrue();
		}
	}

	@Test
	void holdsDataBackWhileStalled() throws IOException {
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			this.proxy.stall();
			client.getOutputStream().write(1);
			assertSilent(accepted);
			this.proxy.resume();
			accepted.setSoTimeout(0);
			assertThat(accepted.getInputStream().read()).isEqualTo(1);
		}
	}

	@Test
	void delaysData() throws IOException {
		try (Socket client = connect(); Socket accepted = this.server.accept()) {
			this.proxy.delay(Duration.ofMillis(60));
			long start = System.nanoTime();
			client.getOutputStream().write(1);
			assertThat(accepted.getInputStream().read()).isEqualTo(1);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(60));
		}
	}

	private static void assertSilent(Socket socket) throws IOException {
		socket.setSoTimeout(50);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> socket.getInputStream().read());
		socket.setSoTimeout(0);
	}

}

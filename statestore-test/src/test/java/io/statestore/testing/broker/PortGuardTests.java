package io.statestore.testing.broker;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import org.junit.jupiter.api.Test;

class PortGuardTests {

	/** A guard whose thread still accepts connections makes one attempt in fifty fail. */
	@Test
	void portIsFreeOnceGuardIsClosed() throws Exception {
		InetAddress host = InetAddress.getLoopbackAddress();
		for (int i = 0; i < 1_000; i++) {
			int port;
			try (ServerSocket broker = new ServerSocket(0, 50, host)) {
				port = broker.getLocalPort();
			}
			try (PortGuard guard = new PortGuard(host.getHostAddress(), port)) {
				new Socket(host, port).close();
			}
			new ServerSocket(port, 50, host).close();
		}
	}

}

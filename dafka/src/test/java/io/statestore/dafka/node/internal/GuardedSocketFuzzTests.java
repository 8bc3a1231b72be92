package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the sockets of a node with connections that break ZMTP. The node ends each
 * connection after its last byte, which shows that its I/O thread works.
 * <p>
 * In the first byte of an input, bit 0 selects the socket, the subscriber or the
 * publisher, and bit 1 sends a valid handshake before the rest.
 */
class GuardedSocketFuzzTests {

	private static final SocketLimits SUBSCRIBER = new SocketLimits(100_000, 2, 1_000_000, 0, 1_000_000);

	private static final SocketLimits PUBLISHER = new SocketLimits(1_024, 1, 1_000_000, 100_000, 0);

	private static final GuardedContext CONTEXT = new GuardedContext("fuzzed", Duration.ofSeconds(10), Ticker.SYSTEM,
			null, () -> {
			});

	private static final GuardedSocket[] SOCKETS = new GuardedSocket[2];

	private static final int[] PORTS = new int[2];

	@BeforeAll
	static void bind() {
		SOCKETS[0] = CONTEXT.socket(SocketType.SUB, SUBSCRIBER);
		SOCKETS[0].socket().subscribe("");
		SOCKETS[1] = CONTEXT.socket(SocketType.XPUB, PUBLISHER);
		for (int i = 0; i < SOCKETS.length; i++) {
			PORTS[i] = SOCKETS[i].socket().bindToRandomPort("tcp://127.0.0.1");
		}
	}

	@AfterAll
	static void close() {
		CONTEXT.close();
	}

	@FuzzTest
	void endsEveryConnection(byte[] input) throws IOException {
		if (input.length == 0) {
			return;
		}
		BugDetectors.allowNetworkConnections();
		int index = input[0] & 1;
		byte[] handshake = ((input[0] & 2) != 0)
				? ZmtpClient.concat(ZmtpClient.greeting(), ZmtpClient.ready((index == 0) ? "PUB" : "SUB"))
				: new byte[0];
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), PORTS[index])) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream().write(ZmtpClient.concat(handshake, Arrays.copyOfRange(input, 1, input.length)));
			socket.shutdownOutput();
			socket.getInputStream().readAllBytes();
		}
		catch (SocketException ex) {
			// The node has reset the connection.
		}
		assertThat(CONTEXT.failure()).isNull();
		receive(SOCKETS[index], (index == 0) ? SUBSCRIBER : PUBLISHER);
	}

	private static void receive(GuardedSocket guarded, SocketLimits limits) {
		ZMQ.Socket socket = guarded.socket();
		int frames = 0;
		for (byte[] frame = socket.recv(ZMQ.DONTWAIT); frame != null; frame = socket.recv(ZMQ.DONTWAIT)) {
			frames = socket.hasReceiveMore() ? frames + 1 : 0;
			assertThat(frames).isLessThan(limits.maxFrames());
			assertThat(frame.length).isLessThanOrEqualTo(limits.maxMessageSize());
			guarded.queued().received(frame.length);
		}
	}

}

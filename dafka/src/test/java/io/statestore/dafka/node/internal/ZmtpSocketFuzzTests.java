package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.dafka.Ticker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the sockets of a node with connections that break ZMTP. The node ends each
 * connection after its last byte, which shows that its I/O thread works.
 * <p>
 * In the first byte of an input, bit 0 selects the subscriber or the publisher socket,
 * and bit 1 sends a valid handshake before the rest.
 */
class ZmtpSocketFuzzTests {

	private static final SocketLimits SUBSCRIBER = new SocketLimits(100_000, 2, 1_000_000, 0, 1_000_000, 1, 0);

	private static final SocketLimits PUBLISHER = new SocketLimits(1_024, 1, 1_000_000, 100_000, 0, 1, 0);

	private static final Transport TRANSPORT = new Transport("fuzzed", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private static final ZmtpSocket[] SOCKETS = { new Subscriber(TRANSPORT, "SUB", SUBSCRIBER, List.of(new byte[0])),
			new Publisher(TRANSPORT, PUBLISHER) };

	private static final Queue<byte[]> UNEXPECTED = new ConcurrentLinkedQueue<>();

	private static final int[] PORTS = new int[2];

	@BeforeAll
	static void bind() {
		for (int i = 0; i < SOCKETS.length; i++) {
			ZmtpSocket socket = SOCKETS[i];
			SocketLimits limits = (i == 0) ? SUBSCRIBER : PUBLISHER;
			PORTS[i] = socket.bind("host", "127.0.0.1", "port", 0);
			TRANSPORT.loop.scheduleWithFixedDelay(() -> receive(socket, limits), 1, 1, TimeUnit.MILLISECONDS);
		}
	}

	@AfterAll
	static void close() {
		TRANSPORT.close();
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
		assertThat(TRANSPORT.failure()).isNull();
		assertThat(UNEXPECTED).isEmpty();
	}

	private static void receive(ZmtpSocket socket, SocketLimits limits) {
		for (byte[][] message = socket.receive(); message != null; message = socket.receive()) {
			for (byte[] frame : message) {
				if (message.length > limits.maxFrames() || frame.length > limits.maxMessageSize()) {
					UNEXPECTED.add(frame);
				}
			}
		}
	}

}

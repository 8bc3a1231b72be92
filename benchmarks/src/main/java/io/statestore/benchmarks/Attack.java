package io.statestore.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import org.jspecify.annotations.Nullable;

/** Attack by a client that has no valid credentials. */
enum Attack {

	/** Handshakes, and CONNECT packets without credentials. */
	CONNECTS("flood of connections without a login"),

	/** Connections that send a ClientHello byte by byte. */
	SLOW_HANDSHAKES("slow TLS handshakes"),

	/** Bytes that are not TLS. */
	GARBAGE("garbage instead of TLS"),

	/** Second handshakes on one connection, with TLS 1.2. */
	RENEGOTIATION("renegotiation"),

	/** CONNECT packets that announce 200 MB. */
	OVERSIZED("oversized CONNECT packets"),

	WRONG_CERTIFICATE("certificates of another authority"),

	EXPIRED_CERTIFICATE("expired certificates"),

	/** Logins with the name of a user, and with random names. */
	FAILED_LOGINS("failed logins");

	private static final int THREADS = 64;

	private static final int CONNECT = 0x10;

	private static final int SLOW_CONNECTIONS = 5;

	/** Time for an answer. Clients with wrong passwords do not wait for their refusal. */
	private static final int TIMEOUT_MILLIS = 300;

	private final String text;

	Attack(String text) {
		this.text = text;
	}

	/** Returns the name of the client certificate, {@code null} for none. */
	private @Nullable String certificate() {
		return switch (this) {
			case WRONG_CERTIFICATE -> "stranger";
			case EXPIRED_CERTIFICATE -> "expired";
			default -> null;
		};
	}

	/**
	 * Makes one attempt. Failures are expected.
	 * @param number number of the attempt
	 */
	private void attempt(int port, SSLContext context, long number) throws IOException {
		switch (this) {
			case SLOW_HANDSHAKES -> trickle(port);
			case GARBAGE ->
				send(connect(port), "GET / HTTP/1.1\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII));
			case RENEGOTIATION -> {
				try (SSLSocket socket = connect(port, context)) {
					socket.setEnabledProtocols(new String[] { "TLSv1.2" });
					for (int i = 0; i < 11; i++) {
						socket.startHandshake();
					}
					send(socket);
				}
			}
			case OVERSIZED -> send(connect(port, context), MqttPacket.of(CONNECT, 200_000_000, connectBody(null)),
					new byte[64 * 1024]);
			case CONNECTS, WRONG_CERTIFICATE, EXPIRED_CERTIFICATE -> login(port, context, null);
			case FAILED_LOGINS -> login(port, context, (number % 2 == 0) ? SecurityScenarios.USER : "user-" + number);
		}
	}

	private static Socket connect(int port) throws IOException {
		Socket socket = new Socket();
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
		socket.setSoTimeout(TIMEOUT_MILLIS);
		return socket;
	}

	private static SSLSocket connect(int port, SSLContext context) throws IOException {
		return (SSLSocket) context.getSocketFactory().createSocket(connect(port), "localhost", port, true);
	}

	/** Connects with a wrong password, or without one. */
	private static void login(int port, SSLContext context, @Nullable String user) throws IOException {
		byte[] body = connectBody(user);
		send(connect(port, context), MqttPacket.of(CONNECT, body.length, body));
	}

	private static byte[] connectBody(@Nullable String user) throws IOException {
		return MqttPacket.connect("attacker", new byte[1], user);
	}

	/** Sends packets, and waits until the server closes the connection. */
	private static void send(Socket socket, byte[]... packets) throws IOException {
		try (socket) {
			for (byte[] packet : packets) {
				socket.getOutputStream().write(packet);
			}
			socket.getInputStream().transferTo(OutputStream.nullOutputStream());
		}
	}

	private static void trickle(int port) throws IOException {
		List<Socket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < SLOW_CONNECTIONS; i++) {
				sockets.add(connect(port));
			}
			for (byte next : new byte[] { 0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xFC, 0x03, 0x03 }) {
				for (Socket socket : sockets) {
					socket.getOutputStream().write(next);
				}
				LockSupport.parkNanos(100_000_000);
			}
		}
		finally {
			for (Socket socket : sockets) {
				socket.close();
			}
		}
	}

	/**
	 * Program that attacks a broker. The arguments are the name of the attack, a port,
	 * the directory of the {@link Certificates}, and the maximum number of attempts per
	 * second. Each byte of its input switches the attack on or off. The end of the input
	 * ends the program.
	 */
	public static void main(String[] args) throws IOException {
		Attack attack = valueOf(args[0]);
		int port = Integer.parseInt(args[1]);
		SSLContext context = new Certificates(Path.of(args[2])).context(attack.certificate());
		long pause = TimeUnit.SECONDS.toNanos(THREADS) / Integer.parseInt(args[3]);
		AtomicLong attempts = new AtomicLong();
		AtomicBoolean active = new AtomicBoolean();
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> {
				while (true) {
					try {
						if (active.get()) {
							attack.attempt(port, context, attempts.incrementAndGet());
						}
					}
					catch (IOException ex) {
						// The server refused it.
					}
					LockSupport.parkNanos(pause);
				}
			});
			thread.setDaemon(true);
			thread.start();
		}
		while (System.in.read() >= 0) {
			active.set(!active.get());
			System.out.println(attempts);
		}
	}

	@Override
	public String toString() {
		return this.text;
	}

}

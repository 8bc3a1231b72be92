package io.statestore.benchmarks;

import java.io.IOException;
import java.io.InputStream;
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
			case GARBAGE -> send(port, "GET / HTTP/1.1\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII));
			case RENEGOTIATION -> renegotiate(port, context);
			case OVERSIZED -> oversized(port, context);
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
		SSLSocket socket = open(port, context);
		socket.startHandshake();
		return socket;
	}

	private static SSLSocket open(int port, SSLContext context) throws IOException {
		return (SSLSocket) context.getSocketFactory().createSocket(connect(port), "localhost", port, true);
	}

	/** Connects with a wrong password, and waits until the server refuses it. */
	private static void login(int port, SSLContext context, @Nullable String user) throws IOException {
		try (SSLSocket socket = connect(port, context)) {
			socket.getOutputStream().write(connectPacket(user));
			readAll(socket.getInputStream());
		}
	}

	private static void oversized(int port, SSLContext context) throws IOException {
		try (SSLSocket socket = connect(port, context)) {
			OutputStream out = socket.getOutputStream();
			out.write(MqttPacket.of(CONNECT, 200_000_000, MqttPacket.connect("attacker", new byte[1], null)));
			out.write(new byte[64 * 1024]);
			readAll(socket.getInputStream());
		}
	}

	private static void renegotiate(int port, SSLContext context) throws IOException {
		try (SSLSocket socket = open(port, context)) {
			socket.setEnabledProtocols(new String[] { "TLSv1.2" });
			for (int i = 0; i < 11; i++) {
				socket.startHandshake();
			}
			readAll(socket.getInputStream());
		}
	}

	private static void send(int port, byte[] bytes) throws IOException {
		try (Socket socket = connect(port)) {
			socket.getOutputStream().write(bytes);
			readAll(socket.getInputStream());
		}
	}

	private static void trickle(int port) throws IOException {
		List<Socket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < SLOW_CONNECTIONS; i++) {
				sockets.add(connect(port));
			}
			byte[] hello = { 0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xFC, 0x03, 0x03 };
			for (byte next : hello) {
				for (Socket socket : sockets) {
					socket.getOutputStream().write(next);
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
			}
		}
		finally {
			for (Socket socket : sockets) {
				socket.close();
			}
		}
	}

	/** Reads until the server closes the connection. */
	private static void readAll(InputStream in) throws IOException {
		in.transferTo(OutputStream.nullOutputStream());
	}

	private static byte[] connectPacket(@Nullable String user) throws IOException {
		byte[] rest = MqttPacket.connect("attacker", new byte[1], user);
		return MqttPacket.of(CONNECT, rest.length, rest);
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
					if (active.get()) {
						attack.attemptAndIgnore(port, context, attempts.incrementAndGet());
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

	private void attemptAndIgnore(int port, SSLContext context, long number) {
		try {
			attempt(port, context, number);
		}
		catch (IOException ex) {
			// The server refused it.
		}
	}

	@Override
	public String toString() {
		return this.text;
	}

}

package io.statestore.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import io.statestore.test.RawConnect;
import io.statestore.test.RawPacket;
import org.jspecify.annotations.Nullable;

/** Attack by a client without valid credentials. */
enum Attack {

	/** Handshakes followed by CONNECT packets without credentials. */
	CONNECTS("flood of connections without a login", null),

	/** Connections that send a ClientHello byte by byte. */
	SLOW_HANDSHAKES("slow TLS handshakes", null),

	/** Bytes that are not TLS. */
	GARBAGE("garbage instead of TLS", null),

	/** Second handshakes on one connection, with TLS 1.2. */
	RENEGOTIATION("renegotiation", null),

	/** CONNECT packets that announce 200 MB. */
	OVERSIZED("oversized CONNECT packets", null),

	WRONG_CERTIFICATE("certificates of another authority", "stranger"),

	EXPIRED_CERTIFICATE("expired certificates", "expired"),

	/** Logins with an existing user name and with random names. */
	FAILED_LOGINS("failed logins", null);

	private static final int THREADS = 64;

	/** Header of a CONNECT that announces 200,000,000 bytes. */
	private static final byte[] OVERSIZED_HEADER = { 0x10, (byte) 0x80, (byte) 0x84, (byte) 0xAF, 0x5F };

	private static final int SLOW_CONNECTIONS = 5;

	/**
	 * How long to wait for an answer. Clients with wrong passwords do not wait for the
	 * refusal.
	 */
	private static final int TIMEOUT_MILLIS = 300;

	private final String text;

	/** Name of the client certificate; {@code null} for none. */
	private final @Nullable String certificate;

	Attack(String text, @Nullable String certificate) {
		this.text = text;
		this.certificate = certificate;
	}

	/**
	 * Makes one attempt. Failures are expected.
	 * @param number number of the attempt
	 */
	private void attempt(int port, SSLContext context, long number) throws Exception {
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
			case OVERSIZED ->
				send(connect(port, context), OVERSIZED_HEADER, Arrays.copyOfRange(connect(null), 2, 64 * 1024));
			case CONNECTS, WRONG_CERTIFICATE, EXPIRED_CERTIFICATE -> send(connect(port, context), connect(null));
			case FAILED_LOGINS ->
				send(connect(port, context), connect((number % 2 == 0) ? SecurityScenarios.USER : "user-" + number));
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

	/**
	 * Returns a CONNECT with a wrong password, or without a login if there is no user.
	 */
	private static byte[] connect(@Nullable String user) {
		return RawConnect.of("attacker")
			.keepAlive(0)
			.login(user, (user != null) ? "wrong" : null)
			.encode(RawPacket.MQTT_5);
	}

	/** Sends packets and waits until the server closes the connection. */
	private static void send(Socket socket, byte[]... packets) throws IOException {
		try (socket) {
			for (byte[] packet : packets) {
				socket.getOutputStream().write(packet);
			}
			socket.getInputStream().transferTo(OutputStream.nullOutputStream());
		}
	}

	private static void trickle(int port) throws Exception {
		try (Resources resources = new Resources()) {
			List<Socket> sockets = new ArrayList<>();
			for (int i = 0; i < SLOW_CONNECTIONS; i++) {
				sockets.add(resources.add(connect(port)));
			}
			for (byte next : new byte[] { 0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xFC, 0x03, 0x03 }) {
				for (Socket socket : sockets) {
					socket.getOutputStream().write(next);
				}
				LockSupport.parkNanos(100_000_000);
			}
		}
	}

	/**
	 * Attacks a broker, in a separate process. The arguments are the name of the attack,
	 * a port, the directory with the {@link Certificates}, and the maximum number of
	 * attempts per second. Each byte of standard input switches the attack on or off. The
	 * end of the input ends the program.
	 */
	public static void main(String[] args) throws IOException {
		Attack attack = valueOf(args[0]);
		int port = Integer.parseInt(args[1]);
		SSLContext context = new Certificates(Path.of(args[2])).context(attack.certificate);
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
					catch (Exception ex) {
						// The server refused the attempt.
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

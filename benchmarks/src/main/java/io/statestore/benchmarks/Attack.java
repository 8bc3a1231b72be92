package io.statestore.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
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

	private static final int SLOW_CONNECTIONS = 5;

	/** Time for an answer. Clients with wrong passwords do not wait for their refusal. */
	private static final int TIMEOUT_MILLIS = 300;

	private final String text;

	Attack(String text) {
		this.text = text;
	}

	/** Returns the name of the client certificate, {@code null} for none. */
	@Nullable String certificate() {
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
	void attempt(int port, SSLContext context, long number) throws IOException, InterruptedException {
		switch (this) {
			case CONNECTS -> login(port, context, null);
			case SLOW_HANDSHAKES -> trickle(port);
			case GARBAGE -> send(port, "GET / HTTP/1.1\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII));
			case RENEGOTIATION -> renegotiate(port, context);
			case OVERSIZED -> oversized(port, context);
			case WRONG_CERTIFICATE, EXPIRED_CERTIFICATE -> login(port, context, null);
			case FAILED_LOGINS -> login(port, context, (number % 2 == 0) ? SecuredServer.USER : "user-" + number);
		}
	}

	private static Socket connect(int port) throws IOException {
		Socket socket = new Socket();
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
		socket.setSoTimeout(TIMEOUT_MILLIS);
		return socket;
	}

	private static SSLSocket connect(int port, SSLContext context) throws IOException {
		SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(connect(port), "localhost", port, true);
		socket.startHandshake();
		return socket;
	}

	/** Connects with a wrong password, and waits until the server refuses it. */
	private static void login(int port, SSLContext context, @Nullable String user) throws IOException {
		try (SSLSocket socket = connect(port, context)) {
			socket.getOutputStream().write(connectPacket(user, 0));
			readAll(socket.getInputStream());
		}
	}

	private static void oversized(int port, SSLContext context) throws IOException {
		try (SSLSocket socket = connect(port, context)) {
			OutputStream out = socket.getOutputStream();
			out.write(connectPacket(null, 200_000_000));
			out.write(new byte[64 * 1024]);
			readAll(socket.getInputStream());
		}
	}

	private static void renegotiate(int port, SSLContext context) throws IOException {
		try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
			.createSocket(connect(port), "localhost", port, true)) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setProtocols(new String[] { "TLSv1.2" });
			socket.setSSLParameters(parameters);
			socket.startHandshake();
			for (int i = 0; i < 10; i++) {
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

	private static void trickle(int port) throws IOException, InterruptedException {
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
				TimeUnit.MILLISECONDS.sleep(100);
			}
		}
		finally {
			for (Socket socket : sockets) {
				socket.close();
			}
		}
	}

	private static void readAll(InputStream in) throws IOException {
		byte[] buffer = new byte[1024];
		while (in.read(buffer) >= 0) {
			// Until the server closes the connection.
		}
	}

	/**
	 * Returns a CONNECT packet of MQTT 5.
	 * @param user the user name, or {@code null} for no login
	 * @param announced the length to announce, 0 for the actual one
	 */
	private static byte[] connectPacket(@Nullable String user, int announced) throws IOException {
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(body);
		out.writeUTF("MQTT");
		out.write(new byte[] { 5, (byte) ((user != null) ? 0xC2 : 0x02), 0, 60, 0 });
		out.writeUTF("attacker");
		if (user != null) {
			out.writeUTF(user);
			out.writeUTF("wrong");
		}
		ByteArrayOutputStream packet = new ByteArrayOutputStream();
		packet.write(0x10);
		int length = (announced > 0) ? announced : body.size();
		do {
			packet.write((length >= 128) ? (length & 0x7F) | 0x80 : length);
			length >>>= 7;
		}
		while (length > 0);
		body.writeTo(packet);
		return packet.toByteArray();
	}

	@Override
	public String toString() {
		return this.text;
	}

}

package io.statestore.broker.mqtt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A TLS client that, unlike the JDK's sockets, sends data in the same write as the last
 * part of its handshake.
 */
final class EarlyTlsClient {

	private final SSLContext context;

	private final int port;

	EarlyTlsClient(SSLContext context, int port) {
		this.context = context;
		this.port = port;
	}

	/**
	 * Connects and sends data at the end of the handshake.
	 * @param data the data to send
	 * @param size number of bytes to receive before closing the connection
	 * @return the received bytes, fewer if the broker has closed the connection
	 */
	byte[] exchange(byte[] data, int size) throws IOException {
		SSLEngine engine = this.context.createSSLEngine("localhost", this.port);
		engine.setUseClientMode(true);
		ByteArrayOutputStream received = new ByteArrayOutputStream();
		ByteBuffer in = ByteBuffer.allocate(70_000).limit(0);
		ByteBuffer plain = ByteBuffer.allocate(70_000);
		ByteBuffer out = ByteBuffer.allocate(70_000);
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout(20_000);
			engine.beginHandshake();
			boolean sent = false;
			while (received.size() < size) {
				HandshakeStatus status = engine.getHandshakeStatus();
				if (status == HandshakeStatus.NEED_TASK) {
					engine.getDelegatedTask().run();
				}
				else if (status == HandshakeStatus.NEED_WRAP) {
					SSLEngineResult result = engine.wrap(ByteBuffer.allocate(0), out);
					if (result.getHandshakeStatus() == HandshakeStatus.FINISHED && !sent) {
						sent = true;
						engine.wrap(ByteBuffer.wrap(data), out);
					}
					if (engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP) {
						socket.getOutputStream().write(out.array(), 0, out.position());
						out.clear();
					}
				}
				else if (!unwrap(engine, in, plain, received)) {
					in.compact();
					int count = socket.getInputStream().read(in.array(), in.position(), in.remaining());
					if (count < 0) {
						break;
					}
					in.position(in.position() + count).flip();
				}
			}
		}
		catch (SSLException ex) {
			// The broker has refused the handshake.
		}
		return received.toByteArray();
	}

	/** Returns whether a TLS record was complete. */
	private static boolean unwrap(SSLEngine engine, ByteBuffer in, ByteBuffer plain, ByteArrayOutputStream received)
			throws SSLException {
		SSLEngineResult result = engine.unwrap(in, plain);
		received.write(plain.array(), 0, plain.position());
		plain.clear();
		return result.getStatus() == SSLEngineResult.Status.OK;
	}

}

package io.statestore.dafka.node.internal;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** Socket that receives the publishers' messages that begin with certain prefixes. */
final class Subscriber extends ZmtpSocket {

	private final List<byte[]> prefixes;

	Subscriber(Transport transport, String type, SocketLimits limits, List<byte[]> prefixes) {
		super(transport, type, limits);
		this.prefixes = prefixes;
	}

	@Override
	void ready(Connection connection) {
		super.ready(connection);
		this.prefixes.forEach(connection::subscribe);
	}

	/** Skips messages with other prefixes, which a peer may send, too. */
	@Override
	byte @Nullable [][] receive() {
		byte[][] message = super.receive();
		while (message != null && !isWanted(message[0])) {
			message = super.receive();
		}
		return message;
	}

	private boolean isWanted(byte[] header) {
		for (byte[] prefix : this.prefixes) {
			if (CurveHandshake.isCommand(header, prefix)) {
				return true;
			}
		}
		return false;
	}

}

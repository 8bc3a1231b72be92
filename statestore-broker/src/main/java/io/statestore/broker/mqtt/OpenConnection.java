package io.statestore.broker.mqtt;

import java.net.InetAddress;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/** An open connection as {@link ConnectionCounts} counts it. Thread-safe. */
final class OpenConnection {

	private final Channel channel;

	private final InetAddress address;

	private final String group;

	private volatile boolean busy;

	OpenConnection(Channel channel, InetAddress address, String group) {
		this.channel = channel;
		this.address = address;
		this.group = group;
	}

	InetAddress address() {
		return this.address;
	}

	/** Returns the group of the address, whose connections count together. */
	String group() {
		return this.group;
	}

	/** Returns whether the connection waits for a thread of the broker. */
	boolean isBusy() {
		return this.busy;
	}

	void setBusy(boolean busy) {
		this.busy = busy;
	}

	/** Closes the connection at once, without a message to the client. */
	void abort() {
		ChannelHandlerContext first = this.channel.pipeline().firstContext();
		if (first != null) {
			// Bypasses the TLS handler, which would wait until its last record is sent.
			first.close();
		}
		else {
			this.channel.close();
		}
	}

}

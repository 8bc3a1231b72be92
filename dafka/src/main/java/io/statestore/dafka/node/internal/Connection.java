package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket's connection to one peer. Speaks ZMTP 3.1 (ZeroMQ RFC 37), or 3.0 if the peer
 * does. Reads from the network only as much as its owner has room for: received bytes
 * wait until {@link #next()} has returned all messages in them. Used by the node's
 * thread.
 */
final class Connection extends ChannelInboundHandlerAdapter implements CurveHandshake.Events {

	private static final Logger logger = LoggerFactory.getLogger(Connection.class);

	/** Maximum number of bytes in a single write, unless a message is larger. */
	static final int BATCH = 256 << 10;

	private static final int GREETING = 64;

	/** Length of the first part of a greeting. */
	private static final int SIGNATURE = 10;

	/** Maximum length of a frame during the handshake. */
	private static final int MAX_HANDSHAKE = 1_024;

	private static final long GREETING_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final byte[] PING = CurveHandshake.name("PING");

	private static final byte[] PONG = CurveHandshake.name("PONG");

	private static final byte[] SUBSCRIBE = CurveHandshake.name("SUBSCRIBE");

	private static final byte[] CANCEL = CurveHandshake.name("CANCEL");

	/** Length of PING up to its context: command name and time to live. */
	private static final int PING_LENGTH = 7;

	private static final int MAX_CONTEXT = 16;

	private static final byte[][] NO_FRAMES = {};

	private final ZmtpSocket socket;

	/** Endpoint to which this side connected; empty if the peer connected. */
	final String endpoint;

	private final Channel channel;

	private String host = "";

	private int port;

	/** Whether a message or heartbeat has arrived. */
	boolean proven;

	/** Whether the owner has yet to read the messages that have arrived. */
	boolean queued;

	/** Estimated memory used by the peer's subscriptions, in bytes. */
	long subscriptionBytes;

	/** The peer's subscriptions, in byte order. */
	final Set<byte[]> subscriptions = new TreeSet<>(Arrays::compareUnsigned);

	/** Whether this side has sent its complete greeting. */
	private boolean introduced;

	private boolean greeted;

	private boolean ready;

	/** Whether this side has ended the connection and ignores what arrives. */
	private boolean refused;

	/** Whether the peer supports the subscription commands of ZMTP 3.1. */
	private boolean subscribesByCommand;

	private @Nullable CurveHandshake curve;

	private int age;

	/** Number of ticks since bytes last arrived. */
	private int idle;

	/** Number of ticks since bytes were last sent. */
	private int silent;

	/**
	 * Whether a heartbeat was answered since bytes last arrived. One answer is enough.
	 */
	private boolean answered;

	private final FrameDecoder decoder;

	/** Frames received so far of a message that has not arrived completely. */
	private byte[][] frames = NO_FRAMES;

	private final Deque<byte[][]> out = new ArrayDeque<>();

	private long outBytes;

	private boolean flushing;

	private boolean writing;

	Connection(ZmtpSocket socket, String endpoint, Channel channel) {
		this.socket = socket;
		this.endpoint = endpoint;
		this.channel = channel;
		this.decoder = new FrameDecoder(socket.memory);
	}

	boolean isAccepted() {
		return this.endpoint.isEmpty();
	}

	boolean isReady() {
		return this.ready;
	}

	/** Returns whether this is the connection of a channel. */
	boolean uses(@Nullable Channel channel) {
		return this.channel == channel;
	}

	boolean isOpen() {
		return this.channel.isActive();
	}

	boolean isRefused() {
		return this.refused;
	}

	/** Returns the peer's IP address, in brackets if it is an IPv6 address. */
	String host() {
		return this.host;
	}

	/** Returns the peer's public key; {@code null} without CURVE. */
	@Nullable Bytes peer() {
		return (this.curve != null) ? this.curve.peer() : null;
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		if (this.channel.remoteAddress() instanceof InetSocketAddress remote) {
			String address = remote.getAddress().getHostAddress();
			this.host = (remote.getAddress() instanceof Inet6Address) ? '[' + address + ']' : address;
			this.port = remote.getPort();
		}
		this.socket.opened(this);
		if (!this.refused) {
			// The rest is sent after the peer's signature has arrived. JeroMQ 0.6.0
			// sometimes does not monitor a new connection; it gives up such a connection
			// only if the greeting is incomplete.
			context.writeAndFlush(greeting().slice(0, SIGNATURE));
			context.read();
		}
	}

	/** Returns this side's greeting, as a client or a server. */
	private ByteBuf greeting() {
		boolean curve = this.socket.transport.security != null;
		ByteBuf greeting = Unpooled.buffer(GREETING, GREETING);
		greeting.writeByte(0xFF).writeZero(8).writeByte(0x7F).writeByte(3).writeByte(1);
		greeting.writeCharSequence(curve ? "CURVE" : "NULL\0", StandardCharsets.US_ASCII);
		return greeting.writeZero(15).writeBoolean(curve && isAccepted()).writeZero(31);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		ByteBuf data = (ByteBuf) message;
		if (this.refused) {
			data.release();
			return;
		}
		this.idle = 0;
		this.answered = false;
		this.decoder.add(data);
		while (!this.ready && !this.refused && shakeHands()) {
			// The data for the next step may have arrived, too.
		}
		if (this.ready) {
			this.socket.readable(this);
		}
		// Reading ahead reveals the end of the connection.
		if (this.decoder.size() < this.socket.limits.readAhead()) {
			context.read();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		this.socket.closed(this);
		this.out.clear();
		if (!this.queued) {
			this.decoder.close();
		}
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		failed(cause);
	}

	/** Closes this connection. An error also ends the node; an exception does not. */
	void failed(Throwable cause) {
		if (cause instanceof Error) {
			this.socket.transport.fail(cause);
		}
		else if (!(cause instanceof IOException)) {
			logger.warn("Closing the connection to {} after an unexpected exception", address(), cause);
		}
		close();
	}

	/**
	 * Handles the greeting or a handshake command. Returns whether it had arrived
	 * completely.
	 */
	private boolean shakeHands() {
		if (!this.greeted) {
			int known = this.decoder.size();
			if ((known > 0 && this.decoder.peek(0) != -1) || (known > SIGNATURE && this.decoder.peek(SIGNATURE) < 3)) {
				close();
			}
			if (known >= SIGNATURE && !this.introduced) {
				this.introduced = true;
				this.channel.writeAndFlush(greeting().skipBytes(SIGNATURE));
			}
			if (this.refused || known < GREETING) {
				return false;
			}
			greeted(this.decoder.read(GREETING));
			return true;
		}
		byte[] command = frame(MAX_HANDSHAKE);
		if (command != null && this.curve != null) {
			reply(this.curve, this.curve.process(command));
		}
		else if (command != null) {
			byte[] name = CurveHandshake.READY;
			String type = ((this.decoder.flags() & FrameDecoder.COMMAND) != 0
					&& CurveHandshake.isCommand(command, name)) ? Metadata.socketType(command, name.length) : null;
			if (type != null && isCompatible(type)) {
				ready();
			}
			else {
				close();
			}
		}
		return command != null;
	}

	/**
	 * Returns the next frame if it has arrived. Closes the connection if it is invalid.
	 */
	private byte @Nullable [] frame(int max) {
		byte[] frame = this.decoder.next(max);
		if (this.decoder.isInvalid()) {
			refuse(Refusal.FRAME_LENGTH, "");
		}
		return frame;
	}

	private void greeted(byte[] greeting) {
		this.greeted = true;
		this.subscribesByCommand = greeting[10] > 3 || greeting[11] > 0;
		String mechanism = new String(greeting, 12, 20, StandardCharsets.ISO_8859_1).trim();
		CurveSecurity security = this.socket.transport.security;
		if (!mechanism.equals((security != null) ? "CURVE" : "NULL")) {
			if (security != null) {
				refused(Refusal.NO_CURVE, "");
			}
			close();
		}
		else if (security == null) {
			write(FrameDecoder.COMMAND, CurveHandshake.concat(CurveHandshake.READY, Metadata.of(this.socket.type)));
		}
		else {
			this.curve = isAccepted() ? new CurveServerHandshake(security, this, this.socket.type)
					: new CurveClientHandshake(this.endpoint, security, this, this.socket.type);
			reply(this.curve, this.curve.start());
		}
	}

	private void reply(CurveHandshake curve, byte @Nullable [] command) {
		if (command != null) {
			write(FrameDecoder.COMMAND, command);
		}
		if (curve.status() == CurveHandshake.Status.ERROR) {
			close();
		}
		else if (curve.status() == CurveHandshake.Status.READY) {
			ready();
		}
	}

	private void ready() {
		this.ready = true;
		this.socket.ready(this);
		flush();
	}

	@Override
	public boolean isCompatible(String peerType) {
		boolean publisher = peerType.equals("PUB") || peerType.equals("XPUB");
		boolean subscriber = peerType.equals("SUB") || peerType.equals("XSUB");
		return this.socket.type.endsWith("SUB") ? publisher : subscriber;
	}

	@Override
	public void refused(Refusal refusal, String detail) {
		this.socket.transport.refusals.add(refusal, this.socket.name(), address(), detail);
	}

	String address() {
		return this.host + ':' + this.port;
	}

	/** Closes this connection and counts the reason. */
	void refuse(Refusal refusal, String detail) {
		refused(refusal, detail);
		close();
	}

	/** Closes this connection and ignores what has arrived. */
	void close() {
		this.refused = true;
		this.decoder.close();
		this.channel.close();
	}

	/** Reads from the network again after all messages that had arrived were returned. */
	void readMore() {
		if (!isOpen()) {
			this.decoder.close();
			return;
		}
		this.decoder.trim();
		this.channel.read();
	}

	/**
	 * Returns the next message, or the next subscription in the form of a message.
	 * @return the frames, or {@code null} if no message has arrived completely
	 */
	byte @Nullable [][] next() {
		SocketLimits limits = this.socket.limits;
		int max = limits.maxMessageSize();
		while (!this.refused) {
			// The sum may overflow.
			byte[] frame = frame((this.curve != null) ? Math.max(max, max + CurveHandshake.FRAME_OVERHEAD) : max);
			if (frame == null) {
				return null;
			}
			byte[] content = (this.curve != null) ? this.curve.decode(frame) : frame;
			if (content == null) {
				close();
				return null;
			}
			int flags = (this.curve != null) ? this.curve.flags() : this.decoder.flags();
			if (!this.proven) {
				this.socket.proven(this);
			}
			if ((flags & FrameDecoder.COMMAND) != 0) {
				content = command(content);
				flags = 0;
			}
			if (content != null && add(content, (flags & FrameDecoder.MORE) != 0, limits.maxFrames())) {
				byte[][] message = this.frames;
				this.frames = NO_FRAMES;
				return message;
			}
		}
		return null;
	}

	/**
	 * Adds a frame to the arriving message and returns whether the message is complete.
	 */
	private boolean add(byte[] frame, boolean more, int max) {
		int count = this.frames.length + 1;
		this.frames = Arrays.copyOf(this.frames, count);
		this.frames[count - 1] = frame;
		this.decoder.took(frame.length, more);
		boolean tooMany = count + (more ? 1 : 0) > max;
		if (tooMany) {
			refuse(Refusal.TOO_MANY_FRAMES, "");
		}
		return !tooMany && !more;
	}

	/** Handles a command and returns the equivalent message, if there is one. */
	private byte @Nullable [] command(byte[] command) {
		if (CurveHandshake.isCommand(command, PING) && command.length >= PING_LENGTH) {
			int end = Math.min(command.length, PING_LENGTH + MAX_CONTEXT);
			if (!this.answered && this.channel.isWritable()) {
				this.answered = true;
				write(FrameDecoder.COMMAND, CurveHandshake.concat(PONG, Arrays.copyOfRange(command, PING_LENGTH, end)));
			}
			return null;
		}
		boolean subscribe = CurveHandshake.isCommand(command, SUBSCRIBE);
		if (!subscribe && !CurveHandshake.isCommand(command, CANCEL)) {
			return null;
		}
		byte[] name = subscribe ? SUBSCRIBE : CANCEL;
		return CurveHandshake.concat(new byte[] { (byte) (subscribe ? 1 : 0) },
				Arrays.copyOfRange(command, name.length, command.length));
	}

	void subscribe(byte[] prefix) {
		if (this.subscribesByCommand) {
			write(FrameDecoder.COMMAND, CurveHandshake.concat(SUBSCRIBE, prefix));
		}
		else {
			write(0, CurveHandshake.concat(new byte[] { 1 }, prefix));
		}
	}

	boolean hasRoom() {
		return this.out.size() < this.socket.limits.highWaterMark();
	}

	boolean isFlushed() {
		return this.out.isEmpty() && !this.writing;
	}

	/** Sends a message together with all other messages of this turn. */
	void send(byte[][] message) {
		this.out.add(message);
		for (byte[] frame : message) {
			this.outBytes += frame.length + 9 + CurveHandshake.FRAME_OVERHEAD;
		}
		if (this.outBytes >= BATCH) {
			flush();
		}
		else if (!this.flushing) {
			this.flushing = true;
			this.socket.transport.loop.execute(() -> this.socket.transport.guard(this::flush));
		}
	}

	private void flush() {
		this.flushing = false;
		if (this.writing || this.out.isEmpty() || !this.ready) {
			return;
		}
		ByteBuf batch = this.channel.alloc().directBuffer((int) Math.min(this.outBytes, BATCH + BATCH / 4));
		long bytes = 0;
		while (!this.out.isEmpty() && bytes < BATCH) {
			byte[][] message = this.out.remove();
			for (int i = 0; i < message.length; i++) {
				encode((i + 1 < message.length) ? FrameDecoder.MORE : 0, message[i], batch);
				bytes += message[i].length + 9 + CurveHandshake.FRAME_OVERHEAD;
			}
		}
		this.outBytes -= bytes;
		this.writing = true;
		this.silent = 0;
		this.channel.writeAndFlush(batch).addListener((done) -> {
			this.writing = false;
			this.socket.transport.guard(this::flush);
			this.socket.written();
		});
	}

	/** Writes a frame immediately, ahead of waiting messages. */
	private void write(int flags, byte[] content) {
		ByteBuf frame = this.channel.alloc().directBuffer(content.length + 9 + CurveHandshake.FRAME_OVERHEAD);
		encode(flags, content, frame);
		this.silent = 0;
		this.channel.writeAndFlush(frame).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
	}

	private void encode(int flags, byte[] content, ByteBuf to) {
		boolean encrypt = this.ready && this.curve != null;
		byte[] frame = (encrypt && this.curve != null) ? this.curve.encode(flags, content) : content;
		int visible = encrypt ? 0 : flags;
		if (frame.length > 255) {
			to.writeByte(visible | FrameDecoder.LONG).writeLong(frame.length);
		}
		else {
			to.writeByte(visible).writeByte(frame.length);
		}
		to.writeBytes(frame);
	}

	/**
	 * Closes the connection to a slow, dead, or removed peer; sends heartbeats to others.
	 */
	void tick() {
		long age = ++this.age * this.socket.transport.tickNanos;
		int timeout = this.socket.transport.timeoutTicks;
		// While there is no room for messages, the peer's heartbeat answers are unread,
		// too.
		this.idle = this.queued ? 0 : this.idle + 1;
		this.silent++;
		CurveSecurity security = this.socket.transport.security;
		Bytes peer = peer();
		if (!this.ready) {
			if (age > (this.greeted ? HANDSHAKE_NANOS : GREETING_NANOS)) {
				refuse(Refusal.HANDSHAKE_TIMEOUT, "");
			}
		}
		else if (security != null && peer != null && !security.isKnown(peer)) {
			refuse(Refusal.REMOVED, Z85.encode(peer));
		}
		else if (this.idle >= timeout) {
			close();
		}
		// A peer whose heartbeats are stuck behind messages must still hear from this
		// side.
		else if (Math.max(this.idle, this.silent) >= timeout / 2 && this.channel.isWritable()) {
			write(FrameDecoder.COMMAND, CurveHandshake.concat(PING, new byte[2]));
		}
	}

}

package io.statestore.mqtt;

import java.util.List;
import java.util.Set;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttMessageType;
import org.jspecify.annotations.Nullable;

/**
 * Reads packets from a broker. Decodes PUBLISH and PUBACK, which are frequent. Passes
 * only complete packets of other types to Netty's decoder, because it reparses an
 * incomplete packet from its beginning whenever bytes arrive.
 * <p>
 * Also limits the size of properties, and of entire packets other than PUBLISH, because
 * decoding multiplies their size in memory.
 */
final class PacketReader extends ByteToMessageDecoder {

	/**
	 * First bytes of the packets that a broker may send first: CONNACK, DISCONNECT, and
	 * AUTH.
	 */
	private static final Set<Integer> FIRST_BYTES = Set.of(0x20, 0xE0, 0xF0);

	/** First byte of a TLS alert. */
	private static final int TLS_ALERT = 0x15;

	/** Minimum size of a packet whose arrival is reported, in bytes. */
	private static final int MIN_REPORTED = 16 * 1024;

	private final ConnectionSettings settings;

	private final Receiver receiver;

	/** Whether the connection's first byte has been checked. */
	private boolean checked;

	/** Whether the arrival of the current packet has been reported. */
	private boolean reported;

	private volatile long bytes;

	private volatile long packets;

	PacketReader(ConnectionSettings settings, Receiver receiver) {
		this.settings = settings;
		this.receiver = receiver;
	}

	/** Returns the number of packets and bytes that have arrived. */
	Progress progress() {
		return new Progress(this.packets, this.bytes);
	}

	@Override
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
		this.bytes += ((ByteBuf) message).readableBytes();
		this.receiver.received();
		super.channelRead(context, message);
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		if (this.receiver.isEnded() || !isMqtt(in)) {
			in.skipBytes(in.readableBytes());
			return;
		}
		Object packet;
		try {
			packet = next(in, out);
		}
		catch (DecoderException | IndexOutOfBoundsException ex) {
			this.receiver.failed(ConnectionFailure.malformed(ex));
			return;
		}
		if (packet instanceof Publish publish) {
			this.receiver.published(publish);
		}
		else if (packet instanceof PubAck acknowledgment) {
			this.receiver.acknowledged(acknowledgment.packetId(), acknowledgment.reasonCode());
		}
	}

	/**
	 * Checks the first byte, because with another protocol, a complete packet might never
	 * arrive.
	 */
	private boolean isMqtt(ByteBuf in) {
		if (this.checked) {
			return true;
		}
		this.checked = true;
		int first = in.getUnsignedByte(in.readerIndex());
		boolean valid = FIRST_BYTES.contains(first);
		if (!valid) {
			this.receiver.failed((first == TLS_ALERT)
					? ConnectionFailure.of(ConnectionFailure.Kind.TLS_EXPECTED, "the port expects TLS")
					: ConnectionFailure.of(ConnectionFailure.Kind.NOT_MQTT, "the server does not speak MQTT"));
		}
		return valid;
	}

	/** Reads a packet. Returns {@code null} if it is incomplete or was passed on. */
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	private @Nullable Object next(ByteBuf in, List<Object> out) {
		FrameHeader header = FrameHeader.read(in);
		boolean publish = header != null && header.type() == MqttMessageType.PUBLISH.value();
		if (header != null && header.remainingLength() > maxSize(publish)) {
			throw new DecoderException("a packet of type " + header.type() + " with " + header.remainingLength()
					+ " bytes, more than the maximum of " + maxSize(publish));
		}
		if (header == null || in.readableBytes() < header.frameLength()) {
			report(in.readableBytes());
			return null;
		}
		report(0);
		this.packets++;
		if (publish) {
			in.skipBytes(header.headerLength());
			Publish message = new Publish(header, in.readSlice(header.remainingLength()), true,
					this.settings.maxPropertiesSize());
			if (message.qos() > 1 || message.hasTopicAlias() || message.topic().isEmpty()) {
				throw new DecoderException("a message with a topic alias or QoS 2, which were not asked for");
			}
			return message;
		}
		if (header.type() == MqttMessageType.PUBACK.value()) {
			in.skipBytes(header.headerLength());
			return PubAck.read(in.readSlice(header.remainingLength()));
		}
		pass(header, in, out);
		return null;
	}

	private int maxSize(boolean publish) {
		return publish ? this.settings.maxPacketSize()
				: Math.min(this.settings.maxPacketSize(), this.settings.maxPropertiesSize());
	}

	/** Reports how much of a large packet has arrived. */
	private void report(int arrived) {
		boolean large = arrived >= MIN_REPORTED;
		if (large || this.reported) {
			this.settings.buffered().accept(large ? arrived : 0);
			this.reported = large;
		}
	}

	private static void pass(FrameHeader header, ByteBuf in, List<Object> out) {
		switch (header.type()) {
			case 0, 1, 8, 10, 12 ->
				throw new DecoderException("A broker must not send a packet of type " + header.type());
			default -> {
				new Frame(header, in.slice(in.readerIndex(), header.frameLength())).arrangeProperties();
				out.add(in.readRetainedSlice(header.frameLength()));
			}
		}
	}

	/** Receives packets and failures. */
	interface Receiver {

		/** Called when bytes have arrived, before they are read. */
		void received();

		void published(Publish publish);

		void acknowledged(int packetId, int reasonCode);

		/** Called once if nothing more can be read from the connection. */
		void failed(ConnectionFailure failure);

		/** Returns whether to discard all later packets. */
		boolean isEnded();

	}

	private record PubAck(int packetId, int reasonCode) {

		static PubAck read(ByteBuf in) {
			int packetId = in.readUnsignedShort();
			return new PubAck(packetId, in.isReadable() ? in.readUnsignedByte() : 0);
		}

	}

}

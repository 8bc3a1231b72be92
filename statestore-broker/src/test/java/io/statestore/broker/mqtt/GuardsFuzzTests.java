package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.mqtt.Publish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes {@link ConnectGuard} and {@link FrameGuard}. The first byte of an input
 * determines how the others are cut into pieces, 0 for a single piece. Compares each
 * payload that the codec then decodes with the payload that was sent.
 */
class GuardsFuzzTests {

	private static final int CONNECT = 0x10;

	/** Number of bytes below which the guards hold any input. */
	private static final int FIRST_BYTES = 8;

	private static final int MAX_CONNECT_SIZE = 1_000;

	private static final int MAX_PACKET_SIZE = 100_000;

	private static final int MAX_PROPERTIES_SIZE = 200;

	@FuzzTest
	void passesWholeFramesOnly(byte[] input) {
		if (input.length < 2) {
			return;
		}
		byte[] stream = Arrays.copyOfRange(input, 1, input.length);
		Outcome outcome = pass(stream, input[0]);
		if (!outcome.equals(pass(stream, (byte) 0))) {
			assertThat(outcome).as("outcome in pieces").isEqualTo(pass(stream, (byte) 0));
		}
		int position = 0;
		for (Passed passed : outcome.packets) {
			int length = frameLength(stream, position);
			byte[] sent = Arrays.copyOfRange(stream, position, position + length);
			if (passed.isPayload) {
				assertThat(passed.bytes).as("payload").isEqualTo(payload(sent, isMqtt5(stream)));
			}
			else {
				assertThat(sorted(ByteBufUtil.getBytes(passed.bytes))).as("bytes of the frame").isEqualTo(sorted(sent));
			}
			position += length;
		}
		if (position > 0) {
			assertThat(stream[0]).isEqualTo((byte) CONNECT);
			assertThat(outcome.packets.get(0).bytes.readableBytes()).isLessThanOrEqualTo(MAX_CONNECT_SIZE);
		}
		if (position == 0 && stream.length < FIRST_BYTES) {
			assertThat(outcome.reserved).isZero();
		}
		else if (outcome.open && !outcome.refused) {
			int rest = frameLength(stream, position);
			assertThat(rest).as("length of the frame held back").isGreaterThan(stream.length - position);
			assertThat(outcome.reserved).isIn(0L, (long) stream.length - position);
		}
		else {
			assertThat(outcome.reserved).isZero();
		}
	}

	/** Returns the bytes in an order that does not depend on the order of properties. */
	private static byte[] sorted(byte[] bytes) {
		byte[] sorted = bytes.clone();
		Arrays.sort(sorted);
		return sorted;
	}

	/**
	 * Returns whether a CONNECT with the protocol name "MQTT" has the MQTT 5 protocol
	 * level.
	 */
	private static boolean isMqtt5(byte[] connect) {
		ByteBuf bytes = Unpooled.wrappedBuffer(connect).skipBytes(1);
		variableByteInteger(bytes);
		return bytes.skipBytes(bytes.readUnsignedShort()).readByte() == 5;
	}

	/** Returns the payload of a well-formed PUBLISH. */
	private static ByteBuf payload(byte[] publish, boolean mqtt5) {
		ByteBuf bytes = Unpooled.wrappedBuffer(publish).skipBytes(1);
		variableByteInteger(bytes);
		bytes.skipBytes(bytes.readUnsignedShort());
		bytes.skipBytes(((publish[0] & 6) != 0) ? 2 : 0);
		return mqtt5 ? bytes.skipBytes(variableByteInteger(bytes)) : bytes;
	}

	private static int variableByteInteger(ByteBuf bytes) {
		int value = 0;
		int shift = 0;
		byte digit;
		do {
			digit = bytes.readByte();
			value |= (digit & 0x7F) << shift;
			shift += 7;
		}
		while (digit < 0);
		return value;
	}

	/** Returns the length of a frame, the largest integer if unknown. */
	private static int frameLength(byte[] stream, int start) {
		int length = 0;
		for (int i = 1; i <= 4 && start + i < stream.length; i++) {
			length += (stream[start + i] & 0x7F) << (7 * (i - 1));
			if (stream[start + i] >= 0) {
				return 1 + i + length;
			}
		}
		return Integer.MAX_VALUE;
	}

	private static Outcome pass(byte[] stream, byte pieces) {
		CountingAllocator allocator = new CountingAllocator();
		MemoryBudget budget = MemoryBudget.unlimited();
		EmbeddedChannel channel = new EmbeddedChannel();
		channel.config().setAllocator(allocator);
		channel.pipeline().addLast(new ConnectGuard(MAX_CONNECT_SIZE, budget.open(), () -> {
		})).addLast(new FrameGuard(MAX_PACKET_SIZE, MAX_PROPERTIES_SIZE, budget.open()));
		List<Passed> packets = new ArrayList<>();
		boolean refused = false;
		Random sizes = new Random(pieces);
		int count = 0;
		for (int position = 0; position < stream.length && channel.isOpen(); count++) {
			int size = (pieces == 0) ? stream.length : 1 + sizes.nextInt(sizes.nextBoolean() ? 3 : 100);
			size = Math.min(size, stream.length - position);
			channel.writeInbound(Unpooled.copiedBuffer(stream, position, size));
			position += size;
			refused |= take(channel, packets, refused);
		}
		Outcome outcome = new Outcome(packets, refused, channel.isOpen(), budget.used(MemoryUse.INCOMING));
		channel.finishAndReleaseAll();
		assertThat(allocator.live).as("bytes not released").isZero();
		assertThat(allocator.allocated).as("bytes copied").isLessThan(1_024 + 8L * stream.length + 128L * count);
		return outcome;
	}

	/** Collects the packets passed on and returns whether a refusal was passed on. */
	private static boolean take(EmbeddedChannel channel, List<Passed> packets, boolean refusedBefore) {
		boolean refused = refusedBefore;
		for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
			assertThat(refused).as("message after a refusal").isFalse();
			if (message instanceof ByteBuf frame) {
				packets.add(new Passed(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(frame)), false));
				frame.release();
			}
			else if (message instanceof Publish publish) {
				packets.add(new Passed(Unpooled.wrappedBuffer(publish.payload()), true));
			}
			else {
				refused = ((MqttMessage) message).decoderResult().isFailure();
				assertThat(refused).isTrue();
			}
		}
		return refused;
	}

	/**
	 * The effect of the guards.
	 *
	 * @param packets packets passed on
	 * @param refused whether a refusal was passed on
	 * @param open whether the connection is still open
	 * @param reserved memory reserved for the rest, in bytes
	 */
	private record Outcome(List<Passed> packets, boolean refused, boolean open, long reserved) {
	}

	/**
	 * A packet that the guards have passed on.
	 *
	 * @param bytes the packet's bytes
	 * @param isPayload whether these are only the payload of a decoded PUBLISH
	 */
	private record Passed(ByteBuf bytes, boolean isPayload) {
	}

}

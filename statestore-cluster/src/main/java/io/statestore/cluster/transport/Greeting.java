package io.statestore.cluster.transport;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * First frame of a connection, sent by the connecting node.
 *
 * @param group name of the cluster
 * @param sender address of the connecting node, as other nodes know it
 * @param receiver address of the node that it connects to
 * @param foundersDigest the sender's {@link Directories#foundersDigest}, empty if the
 * sender joined later
 * @param directory the sender's directory ID, empty if the sender joined later
 * @param expected the receiver's directory ID as the sender knows it, empty if unknown
 */
record Greeting(String group, String sender, String receiver, String foundersDigest, String directory,
		String expected) {

	/** Maximum size of the frame, in bytes. */
	static final int MAX_BYTES = 1_024;

	private static final int MAGIC = 0x53_54_43_4c;

	/** Separates the digest of the founders from the digest of their state. */
	private static final char STATE = '/';

	/** Kind of connection that carries messages between nodes. */
	static final int MESSAGES = 1;

	/** Kind of connection that carries a client's bytes. */
	static final int STREAM = 2;

	/**
	 * Returns whether the sender's cluster was created with other members.
	 */
	boolean isOfOtherFounders(String digest) {
		return !this.foundersDigest.isEmpty() && !digest.isEmpty() && !this.foundersDigest.equals(digest);
	}

	/**
	 * Returns whether the sender's cluster was created with the same members but another
	 * state.
	 */
	boolean isOfOtherBackup(String digest) {
		return isOfOtherFounders(digest) && members(digest).equals(members(this.foundersDigest));
	}

	private static String members(String digest) {
		int end = digest.indexOf(STATE);
		return (end < 0) ? digest : digest.substring(0, end);
	}

	ByteBuf encode(ByteBufAllocator allocator) {
		return encode(allocator, MESSAGES);
	}

	ByteBuf encode(ByteBufAllocator allocator, int kind) {
		ByteBuf frame = allocator.buffer(Frames.LENGTH_BYTES + MAX_BYTES);
		frame.writeInt(0).writeInt(MAGIC).writeByte(kind);
		for (String text : new String[] { this.group, this.sender, this.receiver, this.foundersDigest, this.directory,
				this.expected }) {
			int at = frame.writerIndex();
			frame.writeShort(0);
			frame.setShort(at, ByteBufUtil.writeUtf8(frame, text));
		}
		return frame.setInt(0, frame.readableBytes() - Frames.LENGTH_BYTES);
	}

	/**
	 * Returns the kind of a greeting, given its frame without the length field.
	 * @return the kind, 0 if the bytes are not a greeting
	 */
	static int kind(ByteBuf frame) {
		return (frame.readableBytes() >= 5 && frame.getInt(frame.readerIndex()) == MAGIC)
				? frame.getUnsignedByte(frame.readerIndex() + 4) : 0;
	}

	/**
	 * Decodes a frame without its length field, and leaves any bytes after the greeting
	 * unread.
	 * @return the greeting, {@code null} if the bytes are not a greeting
	 */
	static @Nullable Greeting decode(ByteBuf frame) {
		int kind = kind(frame);
		if (kind != MESSAGES && kind != STREAM) {
			return null;
		}
		frame.skipBytes(5);
		String[] texts = new String[6];
		for (int i = 0; i < texts.length; i++) {
			String text = text(frame);
			if (text == null) {
				return null;
			}
			texts[i] = text;
		}
		return (frame.isReadable() == (kind == STREAM))
				? new Greeting(texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]) : null;
	}

	private static @Nullable String text(ByteBuf frame) {
		if (frame.readableBytes() < 2) {
			return null;
		}
		int bytes = frame.readUnsignedShort();
		if (frame.readableBytes() < bytes) {
			return null;
		}
		return frame.readCharSequence(bytes, StandardCharsets.UTF_8).toString();
	}

}

package io.statestore.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import io.statestore.cluster.NodeStart.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Content of the file that makes a directory that of a node.
 *
 * @param id random identity of the directory
 * @param cluster name of the cluster
 * @param node the node, with its number
 * @param members members that the cluster was created with, empty for a node that joined
 * @param directories identities of the directories of the members, as far as they are
 * known
 * @param complete whether the directory has all files. A node votes only afterwards
 */
record NodeIdentity(UUID id, String cluster, String node, List<String> members, List<UUID> directories,
		boolean complete) {

	/** Stands for a directory that is unknown. */
	private static final UUID UNKNOWN = new UUID(0, 0);

	private static final int FORMAT = 1;

	private static final int MAX_NUMBER = 1_000_000_000;

	/** Creates an identity without known directories. */
	NodeIdentity(UUID id, String cluster, String node, List<String> members, boolean complete) {
		this(id, cluster, node, members, Collections.nCopies(members.size(), UNKNOWN), complete);
	}

	static NodeIdentity create(RaftNodeOptions options) {
		int number = (options.start().mode() == Mode.JOIN) ? ThreadLocalRandom.current().nextInt(1, MAX_NUMBER) : 0;
		List<Member> members = (options.start().mode() == Mode.NEW_CLUSTER) ? options.start().members() : List.of();
		return new NodeIdentity(UUID.randomUUID(), options.cluster(), options.self().withNumber(number).toString(),
				members.stream().map(Member::toString).sorted().toList(), false);
	}

	NodeIdentity completed() {
		return new NodeIdentity(this.id, this.cluster, this.node, this.members, this.directories, true);
	}

	/**
	 * Returns a digest of the members that the cluster was created with, empty for a node
	 * that joined.
	 */
	String founders() {
		return this.members.isEmpty() ? "" : UUID.nameUUIDFromBytes(bytes(String.join(",", this.members))).toString();
	}

	/**
	 * Returns the identity of the directory of a first member.
	 * @return the identity, {@code null} if it is unknown, or the node was no first
	 * member
	 */
	@Nullable UUID directoryOf(String member) {
		int index = this.members.indexOf(member);
		return (index >= 0 && !this.directories.get(index).equals(UNKNOWN)) ? this.directories.get(index) : null;
	}

	/** Returns a copy with the directory of a first member. */
	NodeIdentity withDirectory(String member, UUID directory) {
		List<UUID> directories = new ArrayList<>(this.directories);
		directories.set(this.members.indexOf(member), directory);
		return new NodeIdentity(this.id, this.cluster, this.node, this.members, List.copyOf(directories),
				this.complete);
	}

	byte[] encode() {
		List<byte[]> texts = new ArrayList<>();
		texts.add(bytes(this.cluster));
		texts.add(bytes(this.node));
		this.members.forEach((member) -> texts.add(bytes(member)));
		int size = 22 + 2 * Long.BYTES * this.members.size()
				+ texts.stream().mapToInt((text) -> Short.BYTES + text.length).sum();
		ByteBuffer target = ByteBuffer.allocate(size).putInt(FORMAT).put((byte) (this.complete ? 1 : 0));
		target.putLong(this.id.getMostSignificantBits()).putLong(this.id.getLeastSignificantBits());
		target.put((byte) this.members.size());
		texts.forEach((text) -> target.putShort((short) text.length).put(text));
		this.directories
			.forEach((id) -> target.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()));
		return target.array();
	}

	/** Decodes the content of the file, or returns {@code null} if it is none. */
	static @Nullable NodeIdentity decode(byte[] content) {
		try {
			ByteBuffer source = ByteBuffer.wrap(content);
			if (source.getInt() != FORMAT) {
				return null;
			}
			boolean complete = source.get() != 0;
			UUID id = new UUID(source.getLong(), source.getLong());
			int count = Byte.toUnsignedInt(source.get());
			String cluster = text(source);
			String node = text(source);
			List<String> members = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				members.add(text(source));
			}
			List<UUID> directories = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				directories.add(new UUID(source.getLong(), source.getLong()));
			}
			return new NodeIdentity(id, cluster, node, List.copyOf(members), List.copyOf(directories), complete);
		}
		catch (BufferUnderflowException ex) {
			return null;
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(ByteBuffer source) {
		byte[] text = new byte[Short.toUnsignedInt(source.getShort())];
		source.get(text);
		return new String(text, StandardCharsets.UTF_8);
	}

}

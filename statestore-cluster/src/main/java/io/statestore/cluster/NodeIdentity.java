package io.statestore.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import org.jspecify.annotations.Nullable;

/**
 * Content of the file that assigns a directory to a node.
 *
 * @param id random identity of the directory
 * @param cluster name of the cluster
 * @param node the node, with its number
 * @param members the founders, that is, the members that the cluster was created with;
 * empty for a node that joined
 * @param directories the founders' directory IDs, as far as they are known
 * @param complete whether the directory has all files, which a node needs before it votes
 * @param seed digest of the state that the cluster was created with, {@code null} if it
 * began empty, or for a node that joined
 */
record NodeIdentity(UUID id, String cluster, String node, List<String> members, List<UUID> directories,
		boolean complete, @Nullable UUID seed) {

	/** Stands for an unknown directory, and for an empty state. */
	private static final UUID UNKNOWN = new UUID(0, 0);

	private static final int FORMAT = 1;

	private static final int MAX_NUMBER = 1_000_000_000;

	/** Creates an identity without known directories. */
	NodeIdentity(UUID id, String cluster, String node, List<String> members, boolean complete, @Nullable UUID seed) {
		this(id, cluster, node, members, Collections.nCopies(members.size(), UNKNOWN), complete, seed);
	}

	static NodeIdentity create(RaftNodeOptions options, @Nullable UUID seed) {
		int number = (options.start().state() == InitialState.JOIN) ? ThreadLocalRandom.current().nextInt(1, MAX_NUMBER)
				: 0;
		List<Member> members = (options.start().state() == InitialState.NEW_CLUSTER) ? options.start().members()
				: List.of();
		return new NodeIdentity(UUID.randomUUID(), options.cluster(), options.self().withNumber(number).toString(),
				members.stream().map(Member::toString).sorted().toList(), false, seed);
	}

	NodeIdentity completed() {
		return new NodeIdentity(this.id, this.cluster, this.node, this.members, this.directories, true, this.seed);
	}

	/**
	 * Returns the digests described by {@link Directories#foundersDigest}.
	 */
	String foundersDigest() {
		if (this.members.isEmpty()) {
			return "";
		}
		UUID members = UUID.nameUUIDFromBytes(bytes(String.join(",", this.members)));
		return members + "/" + ((this.seed != null) ? this.seed : "");
	}

	/**
	 * Returns a founder's directory ID.
	 * @return the ID, {@code null} if it is unknown or the node is not a founder
	 */
	@Nullable UUID directoryOf(String member) {
		int index = this.members.indexOf(member);
		return (index >= 0 && !this.directories.get(index).equals(UNKNOWN)) ? this.directories.get(index) : null;
	}

	NodeIdentity withDirectory(String member, UUID directory) {
		List<UUID> directories = new ArrayList<>(this.directories);
		directories.set(this.members.indexOf(member), directory);
		return new NodeIdentity(this.id, this.cluster, this.node, this.members, List.copyOf(directories), this.complete,
				this.seed);
	}

	byte[] encode() {
		List<byte[]> texts = new ArrayList<>();
		texts.add(bytes(this.cluster));
		texts.add(bytes(this.node));
		this.members.forEach((member) -> texts.add(bytes(member)));
		int size = 22 + 2 * Long.BYTES * (this.members.size() + 1)
				+ texts.stream().mapToInt((text) -> Short.BYTES + text.length).sum();
		ByteBuffer target = ByteBuffer.allocate(size).putInt(FORMAT).put((byte) (this.complete ? 1 : 0));
		put(target, this.id);
		target.put((byte) this.members.size());
		texts.forEach((text) -> target.putShort((short) text.length).put(text));
		this.directories.forEach((id) -> put(target, id));
		put(target, (this.seed != null) ? this.seed : UNKNOWN);
		return target.array();
	}

	/** Decodes a file's content, or returns {@code null} if it is not valid. */
	static @Nullable NodeIdentity decode(byte[] content) {
		try {
			ByteBuffer source = ByteBuffer.wrap(content);
			if (source.getInt() != FORMAT) {
				return null;
			}
			boolean complete = source.get() != 0;
			UUID id = uuid(source);
			int count = Byte.toUnsignedInt(source.get());
			String cluster = text(source);
			String node = text(source);
			List<String> members = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				members.add(text(source));
			}
			List<UUID> directories = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				directories.add(uuid(source));
			}
			UUID seed = uuid(source);
			return new NodeIdentity(id, cluster, node, List.copyOf(members), List.copyOf(directories), complete,
					seed.equals(UNKNOWN) ? null : seed);
		}
		catch (BufferUnderflowException ex) {
			return null;
		}
	}

	private static void put(ByteBuffer target, UUID id) {
		target.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
	}

	private static UUID uuid(ByteBuffer source) {
		return new UUID(source.getLong(), source.getLong());
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

package io.statestore.cluster.storage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import io.statestore.broker.log.EntryBatch;
import org.jspecify.annotations.Nullable;

/**
 * Binary form of the items in a node's log: JRaft's entries, and the changes other than
 * appending that JRaft makes to its log. Each item begins with 1 byte kind and 8 bytes
 * index.
 */
final class EntryCodec {

	/** An entry with data: 8 bytes term, then the data. */
	static final int DATA = 1;

	/** An entry without data, with which a leader begins its term: 8 bytes term. */
	static final int NO_OP = 2;

	/** An entry with members: 8 bytes term, then four lists of addresses. */
	static final int MEMBERS = 3;

	/** The entries after the index were removed. */
	static final int TRUNCATED = 4;

	/** All entries were removed; the next entry has the index. */
	static final int RESET = 5;

	private static final int CHANGE_BYTES = 9;

	private static final int ENTRY_BYTES = 17;

	private EntryCodec() {
	}

	static void encodeChange(EntryBatch batch, int kind, long index) {
		batch.add(CHANGE_BYTES).put((byte) kind).putLong(index);
	}

	static void encode(EntryBatch batch, LogEntry entry) {
		ByteBuffer data = entry.getData();
		List<List<byte[]>> members = members(entry);
		int size = ENTRY_BYTES + ((data != null) ? data.remaining() : 0);
		for (List<byte[]> peers : members) {
			size += Short.BYTES + peers.stream().mapToInt((peer) -> Short.BYTES + peer.length).sum();
		}
		ByteBuffer target = batch.add(size);
		target.put((byte) kind(entry.getType())).putLong(entry.getId().getIndex()).putLong(entry.getId().getTerm());
		for (List<byte[]> peers : members) {
			target.putShort((short) peers.size());
			peers.forEach((peer) -> target.putShort((short) peer.length).put(peer));
		}
		if (data != null) {
			target.put(data.duplicate());
		}
	}

	private static int kind(EntryType type) {
		return switch (type) {
			case ENTRY_TYPE_DATA -> DATA;
			case ENTRY_TYPE_NO_OP -> NO_OP;
			case ENTRY_TYPE_CONFIGURATION -> MEMBERS;
			default -> throw new IllegalArgumentException("An entry has type " + type);
		};
	}

	/** Returns the four lists of addresses in an entry with members. */
	private static List<List<byte[]>> members(LogEntry entry) {
		if (entry.getType() != EntryType.ENTRY_TYPE_CONFIGURATION) {
			return List.of();
		}
		return List.of(addresses(entry.getPeers()), addresses(entry.getOldPeers()), addresses(entry.getLearners()),
				addresses(entry.getOldLearners()));
	}

	private static List<byte[]> addresses(@Nullable List<PeerId> peers) {
		return (peers == null) ? List.of()
				: peers.stream().map((peer) -> peer.toString().getBytes(StandardCharsets.UTF_8)).toList();
	}

	static int kind(ByteBuffer bytes) {
		return bytes.get(bytes.position());
	}

	static long index(ByteBuffer bytes) {
		return bytes.getLong(bytes.position() + 1);
	}

	/** Decodes an entry. Its data shares the content of the buffer. */
	static LogEntry decode(ByteBuffer bytes) {
		ByteBuffer source = bytes.slice();
		int kind = source.get();
		LogEntry entry = new LogEntry(switch (kind) {
			case DATA -> EntryType.ENTRY_TYPE_DATA;
			case NO_OP -> EntryType.ENTRY_TYPE_NO_OP;
			case MEMBERS -> EntryType.ENTRY_TYPE_CONFIGURATION;
			default -> throw new IllegalArgumentException("An entry has kind " + kind);
		});
		entry.setId(new LogId(source.getLong(), source.getLong()));
		if (kind == MEMBERS) {
			entry.setPeers(decodePeers(source));
			entry.setOldPeers(orNull(decodePeers(source)));
			entry.setLearners(orNull(decodePeers(source)));
			entry.setOldLearners(orNull(decodePeers(source)));
		}
		if (source.hasRemaining()) {
			entry.setData(source.slice());
		}
		return entry;
	}

	private static @Nullable List<PeerId> orNull(List<PeerId> peers) {
		return peers.isEmpty() ? null : peers;
	}

	private static List<PeerId> decodePeers(ByteBuffer source) {
		int count = Short.toUnsignedInt(source.getShort());
		List<PeerId> peers = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			byte[] text = new byte[Short.toUnsignedInt(source.getShort())];
			source.get(text);
			PeerId peer = new PeerId();
			if (!peer.parse(new String(text, StandardCharsets.UTF_8))) {
				throw new IllegalArgumentException("An entry has an invalid member");
			}
			peers.add(peer);
		}
		return peers;
	}

}

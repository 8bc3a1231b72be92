package io.statestore.cluster.storage;

import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.LogEntry;

/** Rebuilds the log of JRaft from the entries of the files. Not thread-safe. */
final class LogReplay {

	private final LogicalLog log;

	/** Entries with members, by index. */
	private final NavigableMap<Long, LogEntry> members = new TreeMap<>();

	LogReplay(LogicalLog log) {
		this.log = log;
	}

	void accept(long fileIndex, ByteBuffer bytes) {
		long index = EntryCodec.index(bytes);
		switch (EntryCodec.kind(bytes)) {
			case EntryCodec.TRUNCATED -> {
				this.log.truncateSuffix(index);
				this.members.tailMap(index, false).clear();
			}
			case EntryCodec.RESET -> {
				this.log.reset(index);
				this.members.clear();
			}
			case EntryCodec.MEMBERS -> {
				this.log.append(index, fileIndex);
				// The bytes are valid during the call only.
				this.members.put(index,
						EntryCodec.decode(ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()));
			}
			default -> this.log.append(index, fileIndex);
		}
	}

	/** Reports the members to JRaft. */
	void report(ConfigurationManager manager) {
		this.members.tailMap(this.log.first()).forEach((index, entry) -> {
			ConfigurationEntry configuration = new ConfigurationEntry();
			configuration.setId(entry.getId());
			configuration.setConf(new Configuration(entry.getPeers(), entry.getLearners()));
			if (entry.getOldPeers() != null) {
				configuration.setOldConf(new Configuration(entry.getOldPeers(), entry.getOldLearners()));
			}
			manager.add(configuration);
		});
	}

}

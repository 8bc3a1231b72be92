package io.statestore.cluster.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ForkJoinPool;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.statestore.broker.log.DamagedLogException;
import io.statestore.broker.log.TwinFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File with a node's term and vote, without which the node could vote twice. Changing
 * them does not need more disk space. Thread-safe.
 */
public final class VoteFile implements RaftMetaStorage {

	private static final Logger logger = LoggerFactory.getLogger(VoteFile.class);

	private final TwinFile file;

	private volatile @Nullable NodeImpl node;

	private volatile long term;

	private PeerId vote = PeerId.emptyPeer();

	/**
	 * Opens the file.
	 * @param path path of the file
	 * @param create whether the node is new; otherwise, the file must exist
	 * @throws IOException if the file cannot be used, or is missing
	 * @throws DamagedLogException if the file is damaged
	 */
	public VoteFile(Path path, boolean create) throws IOException {
		if (create && !Files.exists(path)) {
			this.file = TwinFile.create(path, encode(0, this.vote));
			return;
		}
		if (!Files.exists(path)) {
			throw new IOException("File " + path + " is missing, without which the node could vote twice. "
					+ "Replace this node by a new one with an empty directory");
		}
		this.file = TwinFile.open(path);
		ByteBuffer content = ByteBuffer.wrap(this.file.content());
		this.term = content.getLong();
		String vote = StandardCharsets.UTF_8.decode(content).toString();
		if (!vote.isEmpty() && !this.vote.parse(vote)) {
			throw new IOException("File " + path + " names an invalid node");
		}
	}

	private static byte[] encode(long term, PeerId vote) {
		byte[] text = vote.isEmpty() ? new byte[0] : vote.toString().getBytes(StandardCharsets.UTF_8);
		return ByteBuffer.allocate(Long.BYTES + text.length).putLong(term).put(text).array();
	}

	@Override
	public boolean init(RaftMetaStorageOptions options) {
		this.node = options.getNode();
		return true;
	}

	@Override
	public long getTerm() {
		return this.term;
	}

	@Override
	public synchronized PeerId getVotedFor() {
		return this.vote;
	}

	@Override
	public boolean setTerm(long term) {
		return setTermAndVotedFor(term, getVotedFor());
	}

	@Override
	public boolean setVotedFor(PeerId vote) {
		return setTermAndVotedFor(getTerm(), vote);
	}

	/**
	 * Stores the term and vote, and returns once they are on the disk. JRaft ignores the
	 * result and would vote despite a failure, so a failure throws an exception and also
	 * ends the node.
	 */
	@Override
	public synchronized boolean setTermAndVotedFor(long term, PeerId vote) {
		try {
			this.file.write(encode(term, vote));
			this.term = term;
			this.vote = vote.copy();
			return true;
		}
		catch (IOException ex) {
			logger.error("Cannot write the vote to {}, so this node stops and restarts. Check the disk and the free "
					+ "space on it", this.file, ex);
			NodeImpl node = this.node;
			if (node != null) {
				// Use another thread, because this thread holds the node's locks.
				ForkJoinPool.commonPool()
					.execute(() -> node.onError(new RaftException(ErrorType.ERROR_TYPE_META, RaftError.EIO,
							"Cannot write the vote: %s", ex.getMessage())));
			}
			throw new UncheckedIOException("Cannot write the vote to " + this.file, ex);
		}
	}

	@Override
	public void shutdown() {
		// close() closes the file.
	}

	/** Closes the file. */
	public synchronized void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot close {}", this.file, ex);
		}
	}

}

package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.log.LogEnd.Remains;

/**
 * Files with intact batches that a start could not apply, because an earlier batch is
 * missing. The store never reads these files. A later start that discards batches
 * replaces them.
 * <p>
 * Until the log has nothing behind its end, the files have another suffix. If a start is
 * interrupted, the next one therefore continues with them, instead of replacing them.
 */
final class DiscardedFiles {

	static final String SUFFIX = ".discarded";

	static final String UNFINISHED = ".discarding";

	private static final int BUFFER_BYTES = 256 << 10;

	private final Disk disk;

	private final Path log;

	DiscardedFiles(Disk disk, StoreLayout layout) {
		this.disk = disk;
		this.log = layout.log();
	}

	/**
	 * Removes the segments behind the end of the log, and copies the one with the end.
	 * Keeps only those with intact records behind the end.
	 */
	void moveAside(LogEnd end) throws IOException {
		List<Remains> later = end.later();
		// From the end, so that an interruption leaves no gap.
		for (int i = later.size() - 1; i >= 0; i--) {
			moveAside(later.get(i));
			this.disk.forceDirectory(this.log);
		}
		if (end.tail().isIntact() && !this.disk.exists(unfinished(end.file()))) {
			copy(end.file(), end.position() + end.tail().bytes());
		}
	}

	private void moveAside(Remains segment) throws IOException {
		Path unfinished = unfinished(segment.file());
		// A copy by an earlier start has at least as much.
		if (segment.isIntact() && !this.disk.exists(unfinished)) {
			this.disk.rename(segment.file(), unfinished);
		}
		else {
			this.disk.delete(segment.file());
		}
	}

	private void copy(Path segment, long bytes) throws IOException {
		Path unfinished = unfinished(segment);
		Path temporary = StoreLayout.temporary(unfinished);
		ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
		try (DiskFile source = this.disk.read(segment); DiskFile target = this.disk.create(temporary)) {
			for (long at = 0; at < bytes; at += buffer.limit()) {
				buffer.clear().limit((int) Math.min(BUFFER_BYTES, bytes - at));
				source.read(buffer, at);
				target.write(buffer.flip(), at);
			}
			target.force();
		}
		this.disk.rename(temporary, unfinished);
		this.disk.forceDirectory(this.log);
	}

	/**
	 * Returns the size of the copy of a segment, in bytes, or 0 if there is none. The
	 * start that made the copy may have failed to clear as much of the segment.
	 */
	long copiedBytes(Path segment) throws IOException {
		Path unfinished = unfinished(segment);
		if (!this.disk.exists(unfinished)) {
			return 0;
		}
		try (DiskFile file = this.disk.read(unfinished)) {
			return file.size();
		}
	}

	/**
	 * Gives the files their final names. Call this as soon as the log has nothing behind
	 * its end.
	 */
	void finish(LogEnd end) throws IOException {
		List<Path> unfinished = files(UNFINISHED);
		if (unfinished.isEmpty()) {
			return;
		}
		if (end.hasIntactRemains()) {
			// Otherwise, some may be from this start before an interruption.
			for (Path earlier : files(SUFFIX)) {
				this.disk.delete(earlier);
			}
		}
		for (Path file : unfinished) {
			String name = file.getFileName().toString();
			this.disk.rename(file, file.resolveSibling(name.replace(UNFINISHED, SUFFIX)));
		}
		this.disk.forceDirectory(this.log);
	}

	private static Path unfinished(Path segment) {
		return segment.resolveSibling(segment.getFileName() + UNFINISHED);
	}

	private List<Path> files(String suffix) throws IOException {
		return this.disk.list(this.log).stream().filter((file) -> file.toString().endsWith(suffix)).toList();
	}

}

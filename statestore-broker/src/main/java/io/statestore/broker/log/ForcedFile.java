package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code forced} file, which is written each time the log is forced. Its content
 * survives the end of the process. After a power failure, it may name an earlier entry
 * than the last forced entry, but never a later entry: the file itself is forced only
 * when the log is closed, because another force would double the time for each batch. If
 * the file cannot be written, the log continues without it. Thread-safe.
 */
final class ForcedFile implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(ForcedFile.class);

	private final StoreFiles files;

	private @Nullable DiskFile file;

	/** Content written last. */
	private ForcedEnd end;

	private ForcedFile(StoreFiles files, ForcedEnd end) {
		this.files = files;
		this.end = end;
	}

	/**
	 * Opens the file. Creates it if it is absent or damaged.
	 * @param known the file's content
	 */
	static ForcedFile open(StoreFiles files, ForcedEnd known) {
		ForcedFile opened = new ForcedFile(files, known);
		try {
			if (known.equals(ForcedEnd.UNKNOWN)) {
				StoreFiles.write(files.disk(), opened.path(), known.encode(files.identity().id()));
			}
			opened.file = files.disk().open(opened.path());
		}
		catch (IOException ex) {
			opened.failed(ex);
		}
		return opened;
	}

	private Path path() {
		return this.files.layout().forced();
	}

	/** Records that a segment was forced, unless a later entry is already recorded. */
	synchronized void write(ForcedEnd next) {
		DiskFile file = this.file;
		if (file == null || next.index() <= this.end.index()) {
			return;
		}
		try {
			this.end = next.withSizeOf(this.end);
			file.write(this.end.encode(this.files.identity().id()), 0);
		}
		catch (IOException ex) {
			failed(ex);
		}
	}

	private void failed(IOException cause) {
		logger.warn("Cannot write {}: {}. A later start may not detect that the log has lost entries at its end. "
				+ "Check the disk", path(), cause.toString());
		close();
	}

	/** Forces the file to disk. */
	synchronized void force() {
		try {
			if (this.file != null) {
				this.file.force();
			}
		}
		catch (IOException ex) {
			failed(ex);
		}
	}

	@Override
	public synchronized void close() {
		DiskFile file = this.file;
		this.file = null;
		if (file != null) {
			StoreFiles.closeQuietly(file, path());
		}
	}

}

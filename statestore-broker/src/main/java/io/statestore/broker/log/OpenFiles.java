package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Files that are open for reading until this object is closed. They can be read also
 * after another process has deleted or replaced them.
 */
final class OpenFiles implements FileSource, Closeable {

	private final FileSource source;

	private final Map<Path, DiskFile> files = new TreeMap<>();

	OpenFiles(FileSource source) {
		this.source = source;
	}

	/** Opens a file, unless it is open. */
	void open(Path file) throws IOException {
		if (!this.files.containsKey(file)) {
			this.files.put(file, this.source.read(file));
		}
	}

	@Override
	public DiskFile read(Path file) throws IOException {
		DiskFile open = this.files.get(file);
		if (open == null) {
			throw new NoSuchFileException(file.toString());
		}
		return new OpenFile(open);
	}

	/** Returns the open files in a directory. */
	@Override
	public List<Path> list(Path directory) {
		return this.files.keySet().stream().filter((file) -> directory.equals(file.getParent())).toList();
	}

	@Override
	public List<Path> listNow(Path directory) throws IOException {
		return this.source.list(directory);
	}

	/** Returns whether a file exists now, open or not. */
	@Override
	public boolean exists(Path file) {
		return this.source.exists(file);
	}

	@Override
	public void close() throws IOException {
		for (DiskFile file : this.files.values()) {
			file.close();
		}
	}

	/** A file that stays open. */
	private record OpenFile(DiskFile file) implements DiskFile {

		@Override
		public void write(ByteBuffer bytes, long position) throws IOException {
			this.file.write(bytes, position);
		}

		@Override
		public int read(ByteBuffer target, long position) throws IOException {
			return this.file.read(target, position);
		}

		@Override
		public void force() throws IOException {
			this.file.force();
		}

		@Override
		public long size() throws IOException {
			return this.file.size();
		}

		@Override
		public void close() {
			// Others read it, too.
		}

	}

}

package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.security.PasswordHash;
import io.statestore.broker.security.UserFile;
import org.jspecify.annotations.Nullable;

/**
 * Changes a user file. The changed file atomically replaces the previous file. Other
 * lines are kept, as are the file's owner, group, and permissions. A new file is readable
 * only by its owner.
 * <p>
 * The changed file is written next to the previous file, with the {@code .lock} suffix.
 * While it exists, other processes do not change the user file. Git uses the same
 * protocol for a repository's files.
 */
final class UserFileEditor {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration INTERVAL = Duration.ofMillis(20);

	private final Path file;

	UserFileEditor(Path file) {
		this.file = file;
	}

	/**
	 * Sets the password of a user.
	 * @param user the user name; the user is added if absent
	 * @param hash the password hash
	 * @throws IllegalArgumentException if the file is invalid
	 * @throws IOException if the file cannot be read or written
	 */
	void set(String user, PasswordHash hash) throws IOException {
		change(user, user + ':' + hash.text());
	}

	/**
	 * Deletes a user.
	 * @param user the user name
	 * @return whether the user existed
	 * @throws IllegalArgumentException if the file is invalid
	 * @throws IOException if the file cannot be read or written
	 */
	boolean delete(String user) throws IOException {
		return change(user, null);
	}

	private boolean change(String user, @Nullable String replacement) throws IOException {
		// Resolve symbolic links, so that they are kept.
		Path target = Files.exists(this.file) ? this.file.toRealPath() : this.file.toAbsolutePath();
		Path changed = target.resolveSibling(target.getFileName() + ".lock");
		lock(changed);
		try {
			List<String> lines = lines();
			boolean existed = replace(lines, user, replacement);
			if (!existed && replacement == null) {
				Files.delete(changed);
				return false;
			}
			write(changed, lines);
			keepAccess(target, changed);
			Files.move(changed, target, StandardCopyOption.ATOMIC_MOVE);
			return existed;
		}
		catch (IOException | RuntimeException ex) {
			Files.deleteIfExists(changed);
			throw ex;
		}
	}

	/** Creates the changed file. Waits while another process's changed file exists. */
	private static void lock(Path changed) throws IOException {
		Path directory = changed.getParent();
		if (directory != null && !Files.isDirectory(directory)) {
			throw new NoSuchFileException(directory.toString());
		}
		long start = System.nanoTime();
		while (true) {
			try {
				Files.createFile(changed, ownerOnly());
				return;
			}
			catch (FileAlreadyExistsException ex) {
				if (System.nanoTime() - start > TIMEOUT.toNanos()) {
					throw new IOException("another program has been changing it for " + TIMEOUT.toSeconds()
							+ " seconds, or has failed while doing so. Try again, or delete " + changed, ex);
				}
				LockSupport.parkNanos(INTERVAL.toNanos());
			}
		}
	}

	private List<String> lines() throws IOException {
		if (!Files.exists(this.file)) {
			return new ArrayList<>();
		}
		byte[] content = Files.readAllBytes(this.file);
		try {
			UserFile.parse(content);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("Cannot change " + this.file + ": " + ex.getMessage(), ex);
		}
		return new ArrayList<>(UserFile.lines(content));
	}

	/** Replaces, adds, or removes a user's line. Returns whether the user had a line. */
	private static boolean replace(List<String> lines, String user, @Nullable String replacement) {
		for (int i = 0; i < lines.size(); i++) {
			if (UserFile.isUser(lines.get(i)) && UserFile.name(lines.get(i)).equals(user)) {
				lines.remove(i);
				if (replacement != null) {
					lines.add(i, replacement);
				}
				return true;
			}
		}
		if (replacement != null) {
			lines.add(replacement);
		}
		return false;
	}

	private static void write(Path file, List<String> lines) throws IOException {
		ByteBuffer content = ByteBuffer.wrap((String.join("\n", lines) + '\n').getBytes(StandardCharsets.UTF_8));
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			while (content.hasRemaining()) {
				channel.write(content);
			}
			channel.force(true);
		}
	}

	/** Copies a file's owner, group, and permissions to another file. */
	private static void keepAccess(Path from, Path to) throws IOException {
		PosixFileAttributeView target = Files.getFileAttributeView(to, PosixFileAttributeView.class);
		if (target == null || !Files.exists(from)) {
			return;
		}
		PosixFileAttributes kept = Files.readAttributes(from, PosixFileAttributes.class);
		PosixFileAttributes present = target.readAttributes();
		try {
			if (!kept.owner().equals(present.owner())) {
				target.setOwner(kept.owner());
			}
			if (!kept.group().equals(present.group())) {
				target.setGroup(kept.group());
			}
			target.setPermissions(kept.permissions());
		}
		catch (IOException ex) {
			throw new IOException("the changed file cannot belong to " + kept.owner() + " and group " + kept.group()
					+ ", as the present one does. Run the command as user " + kept.owner() + " or root", ex);
		}
	}

	private static FileAttribute<?>[] ownerOnly() {
		return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")) }
				: new FileAttribute<?>[0];
	}

}

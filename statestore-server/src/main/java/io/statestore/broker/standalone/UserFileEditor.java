package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.security.PasswordHash;
import io.statestore.broker.security.UserFile;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a file of users. The changed file replaces the previous one in one step.
 * Other lines are kept, as are the owner, the group, and the permissions of the file. A
 * new file may be read only by its owner.
 */
final class UserFileEditor {

	private final Path file;

	UserFileEditor(Path file) {
		this.file = file;
	}

	/**
	 * Sets the password of a user.
	 * @param user the user name, who is added if absent
	 * @param hash the hash of the password
	 * @return whether the user was added
	 * @throws IllegalArgumentException if the file is invalid
	 * @throws IOException if the file cannot be read or written
	 */
	boolean set(String user, PasswordHash hash) throws IOException {
		Path target = target();
		try (ChangeLock lock = ChangeLock.of(target)) {
			List<String> lines = lines();
			boolean added = !replace(lines, user, user + ':' + hash.text());
			if (added) {
				lines.add(user + ':' + hash.text());
			}
			write(target, lines);
			return added;
		}
	}

	/**
	 * Deletes a user.
	 * @param user the user name
	 * @return whether there was such a user
	 * @throws IllegalArgumentException if the file is invalid
	 * @throws IOException if the file cannot be read or written
	 */
	boolean delete(String user) throws IOException {
		Path target = target();
		try (ChangeLock lock = ChangeLock.of(target)) {
			List<String> lines = lines();
			boolean deleted = replace(lines, user, null);
			if (deleted) {
				write(target, lines);
			}
			return deleted;
		}
	}

	/** Returns the file that is to be replaced. Symbolic links to it are kept. */
	private Path target() throws IOException {
		return Files.exists(this.file) ? this.file.toRealPath() : this.file.toAbsolutePath();
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

	private static boolean replace(List<String> lines, String user, @Nullable String replacement) {
		for (int i = 0; i < lines.size(); i++) {
			if (UserFile.isUser(lines.get(i)) && UserFile.name(lines.get(i)).equals(user)) {
				if (replacement != null) {
					lines.set(i, replacement);
				}
				else {
					lines.remove(i);
				}
				return true;
			}
		}
		return false;
	}

	private static void write(Path target, List<String> lines) throws IOException {
		StringBuilder text = new StringBuilder();
		lines.forEach((line) -> text.append(line).append('\n'));
		Path temporary = Files.createTempFile(target.getParent(), ".users", ".tmp", ownerOnly());
		try {
			try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
				ByteBuffer content = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
				while (content.hasRemaining()) {
					channel.write(content);
				}
				channel.force(true);
			}
			if (Files.exists(target)) {
				keepAccess(target, temporary);
			}
			move(temporary, target);
		}
		finally {
			Files.deleteIfExists(temporary);
		}
	}

	/** Gives a file the owner, the group, and the permissions of another one. */
	private static void keepAccess(Path from, Path to) throws IOException {
		PosixFileAttributeView target = Files.getFileAttributeView(to, PosixFileAttributeView.class);
		if (target == null) {
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

	private static void move(Path source, Path target) throws IOException {
		try {
			Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (AtomicMoveNotSupportedException ex) {
			Files.move(source, target, StandardCopyOption.REPLACE_EXISTING);
		}
	}

	static FileAttribute<?>[] ownerOnly() {
		return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")) }
				: new FileAttribute<?>[0];
	}

}

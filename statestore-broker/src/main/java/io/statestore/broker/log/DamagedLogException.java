package io.statestore.broker.log;

import java.nio.file.Path;

/**
 * Thrown when a store's file is missing or has content that the store cannot have
 * written. An incomplete write at the end of the log is not damage.
 */
public final class DamagedLogException extends LogException {

	private static final long serialVersionUID = 1L;

	private final transient Path file;

	private final long position;

	private final String damage;

	DamagedLogException(Path file, long position, String damage) {
		this(file, position, damage,
				"The store does not start, to serve no wrong data. Run "
						+ "'java -jar statestore-server-exec.jar check --data-directory " + directory(file)
						+ "' for a report, and restore a backup into an empty directory");
	}

	private DamagedLogException(Path file, long position, String damage, String nextStep) {
		super(describe(file, position, damage) + ". " + nextStep, null);
		this.file = file;
		this.position = position;
		this.damage = damage;
	}

	private static String describe(Path file, long position, String damage) {
		return "File " + file + " is damaged at position " + position + ": " + damage;
	}

	/** Returns the store's directory. Files are in it or one level below. */
	private static Path directory(Path file) {
		Path parent = file.toAbsolutePath().getParent();
		if (parent == null) {
			return file;
		}
		boolean nested = parent.endsWith(StoreLayout.LOG) || parent.endsWith(StoreLayout.SNAPSHOT);
		Path grandparent = parent.getParent();
		return (nested && grandparent != null) ? grandparent : parent;
	}

	/**
	 * Returns an exception that suggests a different solution.
	 * @param nextStep what happens now, and what to do
	 * @return a new exception for the same damage
	 */
	public DamagedLogException withNextStep(String nextStep) {
		return new DamagedLogException(this.file, this.position, this.damage, nextStep);
	}

	/**
	 * Returns the damaged file.
	 * @return the file
	 */
	public Path file() {
		return this.file;
	}

	/**
	 * Returns where the damage begins.
	 * @return the position in the file, in bytes
	 */
	public long position() {
		return this.position;
	}

}

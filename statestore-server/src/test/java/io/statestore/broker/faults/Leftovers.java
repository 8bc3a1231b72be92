package io.statestore.broker.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes namespaces, their processes, and file systems that tests have left because
 * their JVM ended early. The names contain that JVM's process id.
 */
final class Leftovers {

	private static final String PREFIX = "sst";

	private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)\\w*");

	private Leftovers() {
	}

	/** Returns a name that is unique on this machine, of at most 14 characters. */
	static String name(String suffix) {
		return PREFIX + ProcessHandle.current().pid() + suffix;
	}

	static void removeOfEndedTests() throws IOException {
		for (String namespace : namespaces()) {
			if (isLeftover(namespace)) {
				removeNamespace(namespace);
			}
		}
		for (String mount : Files.readAllLines(Path.of("/proc/mounts"))) {
			String[] fields = mount.split(" ");
			if (isLeftover(fields[0])) {
				Shell.succeeds("umount", "-l", fields[1]);
			}
		}
	}

	private static List<String> namespaces() {
		return Shell.run("ip", "netns", "list").lines().map((line) -> line.split(" ")[0]).toList();
	}

	private static boolean isLeftover(String name) {
		Matcher matcher = NAME.matcher(name);
		return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
	}

	/** Kills a namespace's processes, and removes the namespace and its interfaces. */
	static void removeNamespace(String namespace) {
		try {
			Shell.run("ip", "netns", "pids", namespace)
				.lines()
				.forEach((id) -> ProcessHandle.of(Long.parseLong(id)).ifPresent(ProcessHandle::destroyForcibly));
		}
		catch (IllegalStateException | UncheckedIOException ex) {
			// There is no such namespace, or a signal is ending this JVM. The next test
			// will finish the removal.
		}
		Shell.succeeds("ip", "netns", "del", namespace);
	}

}

package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The instructions in {@code Containerfile}. */
final class Containerfile {

	private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");

	private final Path context;

	private final String text;

	private Containerfile(Path context, String text) {
		this.context = context;
		this.text = text;
	}

	/**
	 * Reads a file.
	 * @param context directory that contains the file and the files to copy
	 */
	static Containerfile read(Path context) throws IOException {
		return new Containerfile(context,
				Files.readString(context.resolve("Containerfile")).replaceAll("\\\\\\R\\s*", ""));
	}

	/**
	 * Creates the image's directories and files below a directory, except for the base
	 * image's files.
	 */
	void createFiles(Path root) throws IOException {
		for (MatchResult copy : instructions("COPY (\\S+) (\\S+)")) {
			Path target = below(root, copy.group(2));
			Files.createDirectories(target.getParent());
			Files.copy(source(copy.group(1)), target);
		}
		for (MatchResult directory : instructions("RUN mkdir -p (\\S+) .*")) {
			Files.createDirectories(below(root, directory.group(1)));
		}
	}

	/** Returns the only file that matches a pattern, as a build requires. */
	private Path source(String pattern) throws IOException {
		PathMatcher matcher = this.context.getFileSystem().getPathMatcher("glob:" + pattern);
		try (Stream<Path> files = Files.walk(this.context, 2)) {
			List<Path> sources = files.filter((file) -> matcher.matches(this.context.relativize(file))).toList();
			if (sources.size() != 1) {
				throw new IOException(pattern + " matches " + sources + ", and must match one file");
			}
			return sources.get(0);
		}
	}

	/**
	 * Returns the command line that a container executes, with paths changed to a
	 * directory.
	 */
	List<String> command(Path root) {
		return Stream.of("ENTRYPOINT", "CMD").flatMap((name) -> strings(name, root)).toList();
	}

	/** Returns the health check's command line, with paths changed to a directory. */
	List<String> healthCheck(Path root) {
		return strings("HEALTHCHECK .*CMD", root).toList();
	}

	private Stream<String> strings(String instruction, Path root) {
		return STRING.matcher(instruction(instruction + " \\[(.*)]"))
			.results()
			.map((string) -> string.group(1))
			.map((string) -> string.startsWith("/") ? below(root, string).toString() : string);
	}

	/** Returns the matching group of an instruction that the file must contain once. */
	String instruction(String regex) {
		List<MatchResult> found = instructions(regex);
		if (found.size() != 1) {
			throw new AssertionError(regex + " occurs " + found.size() + " times");
		}
		return found.get(0).group(1);
	}

	private List<MatchResult> instructions(String regex) {
		Matcher matcher = Pattern.compile("^" + regex + "$", Pattern.MULTILINE).matcher(this.text);
		return matcher.results().map(MatchResult.class::cast).toList();
	}

	private static Path below(Path root, String path) {
		return root.resolve(path.substring(1));
	}

}

package io.statestore.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Links between pages and from the code to pages. */
class DocumentationLinksTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)|(?:href|src)=\"([^\"]+)\"");

	private static final Pattern NAMED_PAGE = Pattern.compile("\\bdocs/[\\w/-]+\\.md(#[\\w-]+)?");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

	private static final Set<String> SOURCES = Set.of("java", "xml", "yml", "yaml", "json", "properties");

	private final Map<Path, Set<String>> anchors = new HashMap<>();

	@Test
	void pagesLinkToExistingPagesAndHeadings() throws IOException {
		List<String> broken = new ArrayList<>();
		for (Path page : files(Set.of("md"))) {
			Matcher link = LINK.matcher(withoutCode(Files.readString(page)));
			while (link.find()) {
				String target = (link.group(1) != null) ? link.group(1) : link.group(2);
				if (!target.matches("[a-z]+:.*") && isBroken(page, target)) {
					broken.add(ROOT.relativize(page) + ": " + target);
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	@Test
	void codeRefersToExistingPagesAndHeadings() throws IOException {
		List<String> broken = new ArrayList<>();
		for (Path source : files(SOURCES)) {
			Matcher page = NAMED_PAGE.matcher(Files.readString(source));
			while (page.find()) {
				if (isBroken(ROOT.resolve("README.md"), page.group())) {
					broken.add(ROOT.relativize(source) + ": " + page.group());
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	private boolean isBroken(Path page, String target) throws IOException {
		int hash = target.indexOf('#');
		String file = (hash < 0) ? target : target.substring(0, hash);
		Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
		return !Files.exists(path) || hash >= 0 && !anchors(path).contains(target.substring(hash + 1));
	}

	/** Returns the anchors that GitHub generates for a page's headings. */
	private Set<String> anchors(Path page) throws IOException {
		Set<String> known = this.anchors.get(page);
		if (known != null) {
			return known;
		}
		Set<String> result = new HashSet<>();
		Matcher heading = HEADING.matcher(withoutCode(Files.readString(page)));
		while (heading.find()) {
			String anchor = heading.group(1)
				.replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1")
				.strip()
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N}\\-_ ]", "")
				.replace(' ', '-');
			for (int i = 1; !result.add((i == 1) ? anchor : anchor + '-' + (i - 1)); i++)
				;
		}
		this.anchors.put(page, result);
		return result;
	}

	/** Removes blocks of code, whose lines may look like headings or links. */
	private static String withoutCode(String text) {
		return text.replaceAll("(?ms)^\\s*```.*?^\\s*```", "");
	}

	private static List<Path> files(Set<String> extensions) throws IOException {
		try (Stream<Path> all = Files.walk(ROOT)) {
			return all.filter(Files::isRegularFile)
				.filter((file) -> extensions.contains(extension(file)))
				.filter((file) -> Stream.of("target", ".git", "node_modules")
					.noneMatch((name) -> ROOT.relativize(file).toString().contains(name + '/')))
				.toList();
		}
	}

	private static String extension(Path file) {
		String name = file.getFileName().toString();
		return name.substring(name.lastIndexOf('.') + 1);
	}

}

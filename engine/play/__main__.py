"""`python -m engine.play` prints the page of the levels as Markdown."""

from engine.play.page import levels_page

if __name__ == "__main__":
    print(levels_page(), end="")

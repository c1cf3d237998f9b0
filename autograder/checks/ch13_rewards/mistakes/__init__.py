"""The known mistakes of this chapter, and right answers in other styles."""

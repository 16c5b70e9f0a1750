-- Runs many display filters over one capture: a line for each, with its number in the file that
-- WARPSCOPE_FILTERS names, a tab, and the frames that pass, or what is wrong with the filter.
local taps = {}
for filter in io.lines(os.getenv("WARPSCOPE_FILTERS")) do
    local number = #taps + 1
    local frames = {}
    local made, tap = pcall(Listener.new, "frame", filter)
    taps[number] = tap
    if made then
        function tap.packet(info) frames[#frames + 1] = info.number end
        function tap.draw() print(number .. "\t" .. table.concat(frames, " ")) end
    else
        print(number .. "\trefused: " .. tostring(tap):gsub("\n", " "))
    end
end
